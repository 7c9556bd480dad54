// Connect Four on bit boards, a column of H + 1 bits each (Tromp's layout); playouts and a breadth-first search.
#pragma once
#include <vector>

#include "bits.h"
#include "dice.h"

template <int W, int H>
struct ConnectFour {
    static bool four(uint64_t mine) {
        for (int step : {1, H, H + 1, H + 2}) {
            const uint64_t pairs = mine & (mine >> step);
            if (pairs & (pairs >> (2 * step))) return true;
        }
        return false;
    }

    static void play(Dice dice, Tally& tally) {
        uint64_t boards[2] = {0, 0};
        for (int length = 1; length <= W * H; length++) {
            const int turn = (length - 1) & 1;
            const uint64_t all = boards[0] | boards[1];
            const uint64_t open = (all + bottom()) & ~tops();  // the cells that a stone would fall to
            boards[turn] |= kth_alone(open, dice.below(__builtin_popcountll(open)));
            if (four(boards[turn])) return tally.add(turn == 0 ? 1 : -1, length);
        }
        tally.add(0, W * H);
    }

    // All positions that can be reached: the stones of the first player and the heights make one key of 64 bits.
    static uint64_t explore() {
        struct State {
            uint64_t first, all;
        };
        uint64_t slots = 1 << 16;
        std::vector<uint64_t> table(slots, 0);  // keys: the first player's stones above the heights
        std::vector<State> states;
        auto key = [](const State& s) { return s.first + s.all + bottom(); };
        auto place = [&](uint64_t k) {
            uint64_t at = (k * GOLDEN) >> 20 & (slots - 1);
            while (table[at] && table[at] != k) at = (at + 1) & (slots - 1);
            return at;
        };
        auto add = [&](const State& s) {
            const uint64_t k = key(s), at = place(k);
            if (table[at]) return;
            table[at] = k;
            states.push_back(s);
            if (2 * states.size() > slots) {
                slots *= 4;
                table.assign(slots, 0);
                for (const State& old : states) table[place(key(old))] = key(old);
            }
        };
        add({0, 0});
        for (uint64_t i = 0; i < states.size(); i++) {
            const State s = states[i];
            const bool second = __builtin_popcountll(s.all) & 1;
            if (four(second ? s.first : s.all & ~s.first)) continue;  // only the last stone can have won
            for (uint64_t open = (s.all + bottom()) & ~tops(); open; open &= open - 1) {
                const uint64_t stone = open & -open;
                add({second ? s.first : s.first | stone, s.all | stone});
            }
        }
        return states.size();
    }

    static constexpr uint64_t bottom() {
        uint64_t bits = 0;
        for (int c = 0; c < W; c++) bits |= 1ull << (c * (H + 1));
        return bits;
    }
    static constexpr uint64_t tops() { return bottom() << H; }
};
