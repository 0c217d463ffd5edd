"""How much the property tests try: little in a normal run, much when asked.

`HYPOTHESIS_PROFILE=deep` tries twenty times as many examples. Where CI is set, every run tries
the same ones.
"""

import os

from hypothesis import HealthCheck, Phase, settings

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile(
    "quick",
    deadline=None,
    max_examples=30,
    derandomize="CI" in os.environ,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=_SLOW_IS_FINE,
)
settings.register_profile("deep", settings.get_profile("quick"), max_examples=600)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
