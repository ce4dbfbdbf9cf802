/* Whether a HiGHS has what crates/exact/src/highs.rs asks for: every function, every option, 32-bit indices, and the
   optimum of a small program (minimise x + y where x + y >= 2 and 0 <= x, y); and whether description (VERSION), headers
   and library are of one version. Exit code 0: it has, and they are. */
#include <HConfig.h>
#include <interfaces/highs_c_api.h>
#include <string.h>

typedef char indices_have_32_bits[sizeof(HighsInt) == 4 ? 1 : -1];

static int asked = 0;

static void interrupt(int kind, const char *message, const HighsCallbackDataOut *out, HighsCallbackDataIn *answer,
                      void *data) {
    (void)kind, (void)message, (void)out, (void)data;
    answer->user_interrupt |= 0;
    asked = 1;
}

int main(void) {
    const double cost[] = {1, 1}, lower[] = {0, 0}, upper[] = {1e30, 1e30}, row_lower[] = {2}, row_upper[] = {1e30};
    const double values[] = {1, 1};
    const HighsInt starts[] = {0, 1}, rows[] = {0, 0}, none[] = {0}, integer[] = {1, 1};
    double x[2], d[2], a[1], y[1];
    HighsInt columns_basis[2], rows_basis[1], kind;
    if (strncmp(Highs_version(), VERSION, strlen(VERSION)) != 0 || Highs_versionMajor() != HIGHS_VERSION_MAJOR ||
        Highs_versionMinor() != HIGHS_VERSION_MINOR || Highs_versionPatch() != HIGHS_VERSION_PATCH)
        return 1;
    void *highs = Highs_create();
    if (!highs) return 2;
    int bad = Highs_setBoolOptionValue(highs, "output_flag", 0) | Highs_setIntOptionValue(highs, "threads", 1) |
              Highs_setIntOptionValue(highs, "random_seed", 1) |
              Highs_setIntOptionValue(highs, "simplex_iteration_limit", 100) |
              Highs_setIntOptionValue(highs, "mip_max_nodes", 100) |
              Highs_setIntOptionValue(highs, "simplex_strategy", 1) |
              Highs_setDoubleOptionValue(highs, "primal_feasibility_tolerance", 1e-9) |
              Highs_setDoubleOptionValue(highs, "dual_feasibility_tolerance", 1e-9) |
              Highs_setDoubleOptionValue(highs, "ipm_optimality_tolerance", 1e-9) |
              Highs_setDoubleOptionValue(highs, "time_limit", 100) |
              Highs_setBoolOptionValue(highs, "mip_detect_symmetry", 0) |
              Highs_setBoolOptionValue(highs, "mip_allow_restart", 0) |
              Highs_setBoolOptionValue(highs, "mip_heuristic_run_feasibility_jump", 0) |
              Highs_setStringOptionValue(highs, "presolve", "off") | Highs_setStringOptionValue(highs, "solver", "ipm") |
              Highs_setStringOptionValue(highs, "solver", "simplex");
    if (bad) return 3;
    if (Highs_passLp(highs, 2, 1, 2, 1, 1, 0.0, cost, lower, upper, row_lower, row_upper, starts, rows, values)) return 4;
    if (Highs_setCallback(highs, interrupt, 0)) return 5;
    for (kind = 1; kind <= 2; kind++) {
        if (Highs_startCallback(highs, kind)) return 6;
    }
    if (Highs_startCallback(highs, 6) || Highs_stopCallback(highs, 6)) return 6;
    if (Highs_run(highs) || Highs_getModelStatus(highs) != 7 || !asked || Highs_getRunTime(highs) < 0) return 7;
    if (Highs_getNumCol(highs) != 2 || Highs_getNumRow(highs) != 1 || Highs_getObjectiveValue(highs) < 1.999) return 7;
    if (Highs_getSolution(highs, x, d, a, y) || x[0] + x[1] < 1.999 || x[0] + x[1] > 2.001) return 8;
    if (Highs_getBasis(highs, columns_basis, rows_basis) || Highs_setBasis(highs, columns_basis, rows_basis)) return 9;
    if (Highs_addCols(highs, 1, cost, lower, upper, 0, none, none, values)) return 10;
    if (Highs_addRows(highs, 1, row_lower, row_upper, 0, none, none, values)) return 10;
    if (Highs_changeColsCostByRange(highs, 0, 1, cost) || Highs_changeColsBoundsByRange(highs, 0, 1, lower, upper) ||
        Highs_changeRowsBoundsByRange(highs, 0, 0, row_lower, row_upper) ||
        Highs_changeColsIntegralityByRange(highs, 0, 1, integer))
        return 11;
    if (Highs_readModel(highs, "no such file.lp") != -1) return 12;
    Highs_destroy(highs);
    return 0;
}
