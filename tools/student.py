"""Intervals of means, for the scripts of this folder."""
import math
import statistics

# Student's t, two-sided 95 %, by degrees of freedom from 1 on.
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
       2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
       2.052, 2.048, 2.045, 2.042, 2.040]
# The most values that T95 knows a quantile for.
MOST = len(T95) + 1


def half_interval(values):
    """Half of the 95 % interval of the mean of two values or more."""
    return T95[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))
