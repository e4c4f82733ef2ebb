// The parts of the GNU Scientific Library that Statistics calls, and nothing else.
//
// GSL is licensed under the GPL, version 3. The module Statistics alone imports this one, and hides
// the import (`internal import`), so that no library product of ours links GSL.
#ifndef FIRSTFRAME_CGSL_SHIM_H
#define FIRSTFRAME_CGSL_SHIM_H

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_version.h>
#include <math.h>

// Swift 6 does not read a C global that is not constant.
static inline const char *firstframe_gsl_version(void) { return gsl_version; }
static inline gsl_qrng *firstframe_gsl_sobol(unsigned int dimension) {
  return gsl_qrng_alloc(gsl_qrng_sobol, dimension);
}

static inline gsl_multimin_fminimizer *firstframe_gsl_simplex(size_t dimension) {
  return gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, dimension);
}
static inline gsl_rng *firstframe_gsl_generator(unsigned long seed) {
  gsl_rng *generator = gsl_rng_alloc(gsl_rng_mt19937);
  if (generator) gsl_rng_set(generator, seed);
  return generator;
}

#endif
