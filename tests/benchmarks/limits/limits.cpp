// What a programmer's own C++ reaches on the same decisions: `limits GAME GAMES SEED` plays, `limits explore` searches.
// Prints CPU seconds and what came out, for comparison.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "connect_four.h"
#include "eila.h"
#include "pig.h"
#include "tic_tac_toe.h"

static double cpu() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int count, char** given) {
    const double began = cpu();
    if (count == 2 && !strcmp(given[1], "explore")) {
        const uint64_t states = ConnectFour<5, 4>::explore();
        printf("%.6f %llu\n", cpu() - began, static_cast<unsigned long long>(states));
        return 0;
    }
    if (count != 4) return 2;
    const auto games = strtoull(given[2], nullptr, 10), seed = strtoull(given[3], nullptr, 10);
    void (*play)(Dice, Tally&) = !strcmp(given[1], "pig")           ? pig
                                 : !strcmp(given[1], "tic_tac_toe") ? tic_tac_toe
                                 : !strcmp(given[1], "eila")        ? Eila::play
                                                                    : ConnectFour<4, 4>::play;
    Tally tally;
    for (unsigned long long game = 0; game < games; game++) play(Dice(seed, game), tally);
    printf("%.6f %llu %llu %llu %llu\n", cpu() - began, (unsigned long long)tally.first,
           (unsigned long long)tally.second, (unsigned long long)tally.draws, (unsigned long long)tally.decisions);
}
