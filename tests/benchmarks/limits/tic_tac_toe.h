// Tic-tac-toe on bit boards, nine bits a player; what is won is a table of all boards.
#pragma once
#include "bits.h"
#include "dice.h"

struct Three {
    bool won[512] = {};
    constexpr Three() {
        constexpr unsigned lines[] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
        for (unsigned board = 0; board < 512; board++)
            for (unsigned line : lines) won[board] |= (board & line) == line;
    }
};
constexpr Three three;

inline void tic_tac_toe(Dice dice, Tally& tally) {
    unsigned mine = 0, theirs = 0;
    for (int length = 1; length <= 9; length++) {
        const unsigned now = mine | static_cast<unsigned>(kth_alone(0777 & ~(mine | theirs), dice.below(10 - length)));
        if (three.won[now]) return tally.add(length & 1 ? 1 : -1, length);
        mine = theirs;
        theirs = now;
    }
    tally.add(0, 9);
}
