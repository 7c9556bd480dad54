// Eila, chapter 0, in its default rulings: sets of cards as bits, the effects of each card as code.
#pragma once
#include "bits.h"
#include "dice.h"

class Eila {
public:
    static void play(Dice dice, Tally& tally) {
        Eila game(dice);
        const bool won = game.run();
        tally.add(won ? 1 : -1, game.decisions_);
    }

private:
    enum Token { FOOD, GOLD, STONE, ENERGY, KNOWLEDGE, FEAR };
    enum Home { TO_FUTURE, TO_PAST, TO_DECK };
    static constexpr int ROUNDS = 7, SPACES = 8, A_NIGHT = 2, GOLD_WANTED = 2, STONES_WANTED = 1, STONES = 5, NONE = -1;

    explicit Eila(Dice dice) : dice_(dice) {}

    bool run() {
        for (int round = 1;; round++) {
            if (!day(round == 1)) return false;
            if (night()) return true;
            if (have_[ENERGY] > 0) have_[ENERGY]--;
            else hearts_--;
            if (hearts_ == 0 || round == ROUNDS) return false;
            stand_ |= future_;
            future_ = 0;
        }
    }

    unsigned chosen(unsigned set) {
        decisions_++;
        return kth(set, dice_.below(__builtin_popcount(set)));
    }

    // -- the day ----------------------------------------------------------------------------------------------

    // False where a card took the last heart.
    bool day(bool ordered) {
        for (;;) {
            int card;
            if (waiting_ != NONE) {
                card = waiting_;
                waiting_ = NONE;
            } else {
                if (!stand_) return true;
                const unsigned several = stand_ & (stand_ - 1);
                card = !several || ordered ? __builtin_ctz(stand_)
                                           : kth(stand_, dice_.below(__builtin_popcount(stand_)));
                stand_ &= ~(1u << card);
            }
            const Home home = carried_out(card, option_of(card));
            if (hearts_ == 0) return false;
            if (home == TO_FUTURE) future_ |= 1u << card;
            if (home == TO_DECK) deck_ |= 1u << card;
        }
    }

    unsigned payable(int card) const {
        switch (card) {
            case 0: case 4: case 11: return 3;
            case 1: return 1 | (have_[ENERGY] >= 1) << 1;
            case 2: return 1 | (have_[GOLD] >= 1) << 1;
            case 3: case 6: return 7;
            case 5: return (have_[FOOD] >= 2) | 6;
            case 7: return tool_ | (have_[ENERGY] >= 3) << 1 | 4;
            case 8: return (have_[FOOD] >= 2) | 6;
            case 9: return (have_[KNOWLEDGE] >= 2) | 2;
            default: return (have_[GOLD] >= 1) | 2;
        }
    }

    // What the player chooses of a card, after as many conversions as liked.
    int option_of(int card) {
        for (;;) {
            const unsigned move = chosen(payable(card) | conversions() << 4);
            if (move < 4) return move;
            convert(move - 4);
        }
    }

    Home carried_out(int card, int option) {
        switch (4 * card + option) {
            case 0: gain(FOOD, 1); return TO_FUTURE;
            case 1: call(5); return TO_PAST;
            case 4: gain(FOOD, 2); return TO_FUTURE;
            case 5: have_[ENERGY]--; gain(FOOD, 1); gain(GOLD, 1); return TO_FUTURE;
            case 8: gain(KNOWLEDGE, 1); return TO_FUTURE;
            case 9: have_[GOLD]--; gain(KNOWLEDGE, 3); return TO_FUTURE;
            case 12: gain(FEAR, 1); gain(GOLD, 1); return TO_FUTURE;
            case 13: front(8); return TO_PAST;
            case 14: return TO_FUTURE;
            case 16: gain(chosen(3) == 0 ? ENERGY : FOOD, 1); return TO_FUTURE;
            case 17: call(6); call(7); return TO_PAST;
            case 20: have_[FOOD] -= 2; gain(GOLD, 2); return TO_PAST;
            case 21: front(10); return TO_PAST;
            case 22: return TO_FUTURE;
            case 24: turn_gold(); return TO_FUTURE;
            case 25: have_[FEAR] -= have_[FEAR] < 2 ? have_[FEAR] : 2; gain(ENERGY, 1); return TO_FUTURE;
            case 26: front(9); return TO_DECK;
            case 28: gain_stone(); return TO_PAST;
            case 29: have_[ENERGY] -= 3; gain_stone(); return TO_PAST;
            case 30: return TO_FUTURE;
            case 32: have_[FOOD] -= 2; tool_ = 1; return TO_PAST;
            case 33: hearts_--; return TO_PAST;
            case 34: gain(FEAR, 2); return TO_DECK;
            case 36: have_[KNOWLEDGE] -= 2; gain(ENERGY, 2); return TO_PAST;
            case 37: gain(FEAR, 1); gain(FOOD, 1); return TO_FUTURE;
            case 40: have_[GOLD]--; front(11); return TO_PAST;
            case 41: gain(FEAR, 1); return TO_PAST;
            case 44: gain(chosen(3) == 0 ? ENERGY : KNOWLEDGE, 1); return TO_FUTURE;
            default: have_[FEAR] -= have_[FEAR] > 0; return TO_FUTURE;
        }
    }

    void call(int card) {
        future_ |= deck_ & 1u << card;
        deck_ &= ~(1u << card);
    }

    void front(int card) {
        if (deck_ & 1u << card) waiting_ = card;
        deck_ &= ~(1u << card);
    }

    void turn_gold() {
        const int held = have_[GOLD];
        if (held == 0) return;
        decisions_++;
        const int turned = dice_.below(held + 1);
        have_[GOLD] -= turned;
        gain(KNOWLEDGE, turned);
    }

    // -- tokens -----------------------------------------------------------------------------------------------

    int hand_room() const { return SPACES - have_[FOOD] - have_[GOLD] - have_[STONE]; }
    int heart_room() const { return SPACES - have_[ENERGY] - have_[KNOWLEDGE] - have_[FEAR]; }
    int stones_left() const { return STONES - have_[STONE] - stones_placed_; }

    void gain_stone() {
        if (stones_left() > 0) gain(STONE, 1);
    }

    void gain(Token kind, int count) {
        while (count > 0) {
            const int room = kind < ENERGY ? hand_room() : heart_room();
            if (room > 0) {
                const int taken = room < count ? room : count;
                have_[kind] += taken;
                count -= taken;
            } else if (!makes_room(kind)) {
                return;
            } else {
                have_[kind]++;
                count--;
            }
        }
    }

    // Drops a token for one that finds no room; false where the rest is left.
    bool makes_room(Token kind) {
        if (kind == FEAR) {
            if (!have_[ENERGY] && !have_[KNOWLEDGE]) return false;
            int drop = have_[ENERGY] ? ENERGY : KNOWLEDGE;
            if (have_[ENERGY] && have_[KNOWLEDGE]) drop = ENERGY + chosen(3);
            have_[drop]--;
            return true;
        }
        unsigned drops = 0;
        for (int t = kind < ENERGY ? FOOD : ENERGY; t < (kind < ENERGY ? ENERGY : FEAR); t++)
            drops |= (t != kind && have_[t] > 0) << t;
        if (!drops) return false;
        const unsigned drop = chosen(drops | 1u << FEAR);  // the last: forego
        if (drop == FEAR) return false;
        have_[drop]--;
        return true;
    }

    // Food into energy, the same dropping knowledge, knowledge into a stone, the same dropping food, dropping gold.
    unsigned conversions() const {
        unsigned ways = 0;
        if (have_[FOOD] >= 2) ways |= heart_room() > 0 ? 1 : (have_[KNOWLEDGE] > 0) << 1;
        if (have_[KNOWLEDGE] >= 6 && stones_left() > 0)
            ways |= hand_room() > 0 ? 4 : (have_[FOOD] > 0) << 3 | (have_[GOLD] > 0) << 4;
        return ways;
    }

    void convert(unsigned way) {
        if (way < 2) {
            have_[KNOWLEDGE] -= way == 1;
            have_[FOOD] -= 2;
            have_[ENERGY]++;
        } else {
            have_[FOOD] -= way == 3;
            have_[GOLD] -= way == 4;
            have_[KNOWLEDGE] -= 6;
            have_[STONE]++;
        }
    }

    // -- the night --------------------------------------------------------------------------------------------

    // True where the goal is complete.
    bool night() {
        for (int tonight = 0;;) {
            const unsigned early = tonight < A_NIGHT;
            const unsigned places = early & (have_[GOLD] > 0) & (gold_placed_ < GOLD_WANTED)
                                    | (early & (have_[STONE] > 0) & (stones_placed_ < STONES_WANTED)) << 1;
            const unsigned ways = conversions();
            if (!(places | ways)) return false;
            const unsigned move = chosen(places | 4 | ways << 3);
            if (move == 2) return false;
            if (move > 2) {
                convert(move - 3);
                continue;
            }
            have_[move == 0 ? GOLD : STONE]--;
            (move == 0 ? gold_placed_ : stones_placed_)++;
            tonight++;
            if (gold_placed_ + stones_placed_ == GOLD_WANTED + STONES_WANTED) return true;
        }
    }

    Dice dice_;
    uint64_t decisions_ = 0;
    int have_[6] = {}, gold_placed_ = 0, stones_placed_ = 0, hearts_ = 3, waiting_ = NONE;
    unsigned tool_ = 0, stand_ = 0x1F, future_ = 0, deck_ = 0xFE0;
};
