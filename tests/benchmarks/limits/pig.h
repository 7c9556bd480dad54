// Pig (Neller and Presser 2004): roll as long as you like, lose the pot on a 1, first to 100 wins.
#pragma once
#include "dice.h"

inline void pig(Dice dice, Tally& tally) {
    int score[2] = {0, 0}, pot = 0, turn = 0;
    for (uint64_t length = 1;; length++) {
        if (dice.below(2) == 1) {  // hold
            if (score[turn] + pot >= 100) return tally.add(turn == 0 ? 1 : -1, length);
            score[turn] += pot;
            pot = 0;
            turn ^= 1;
            continue;
        }
        const int face = 1 + static_cast<int>(dice.below(6));
        if (face == 1) {
            pot = 0;
            turn ^= 1;
        } else {
            pot = score[turn] + pot + face >= 100 ? 100 - score[turn] : pot + face;
        }
    }
}
