// The random numbers of rules/language/random.py (splitmix64), one stream a game, so that outcomes can be compared.
#pragma once
#include <cstdint>

constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15ull;

inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

struct Dice {
    uint64_t state;
    Dice(uint64_t run, uint64_t game) : state(mix(mix(run) + game * GOLDEN)) {}
    // A number in 0..n-1.
    uint64_t below(uint64_t n) {
        state += GOLDEN;
        return ((mix(state) >> 32) * n) >> 32;
    }
};

// What many games gave: wins of the first and of the second player, draws, and decisions of players.
struct Tally {
    uint64_t first = 0, second = 0, draws = 0, decisions = 0;
    void add(int result, uint64_t length) {
        first += result > 0;
        second += result < 0;
        draws += result == 0;
        decisions += length;
    }
};
