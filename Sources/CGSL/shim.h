// The parts of the GNU Scientific Library that Statistics calls, and nothing else.
//
// GSL is licensed under the GPL, version 3. The module Statistics alone imports this one, and hides
// the import (`internal import`), so that no library product of ours links GSL.
#ifndef FIRSTFRAME_CGSL_SHIM_H
#define FIRSTFRAME_CGSL_SHIM_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_version.h>
#include <math.h>

// Swift 6 does not read a C global that is not constant.
static inline const char *firstframe_gsl_version(void) { return gsl_version; }
static inline gsl_qrng *firstframe_gsl_sobol(unsigned int dimension) {
  return gsl_qrng_alloc(gsl_qrng_sobol, dimension);
}

#endif
