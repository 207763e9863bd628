//! Bounds of a share that was observed, one-sided at 95 %.
//!
//! No crate does this in less: `statrs` has the beta distribution, whose quantile is found by halving an interval as
//! here, and brings a library of distributions along.

use crate::tally::Tally;

/// The point of the normal distribution below which 95 % lie.
const Z: f64 = 1.644_853_626_951_472_7;
/// A share that is at most this, with 95 % certainty, is as good as none.
pub const HARDLY_ANY: f64 = 0.1;
/// The steps of halving: more than a double can tell apart.
const STEPS: usize = 60;

/// Whether a call comes again in hardly any session, with 95 % certainty.
pub fn hardly_comes_again(room: Tally) -> bool {
    clopper_pearson_upper(room.k, room.n) <= HARDLY_ANY
}

/// The exact upper bound of a share of which `k` of `n` were seen (Clopper and Pearson 1934): the share at which so few
/// would be seen in 5 %. 1 where nothing was seen.
pub fn clopper_pearson_upper(k: u64, n: u64) -> f64 {
    if k >= n {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if at_most(k, n, middle) > 0.05 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The probability that at most `k` of `n` are seen, each with the probability `p` between 0 and 1.
#[allow(clippy::cast_precision_loss, reason = "no one has 2^52 sessions")]
fn at_most(k: u64, n: u64, p: f64) -> f64 {
    let (seen, unseen) = (p.ln(), (-p).ln_1p());
    let mut ways = 0.0;
    let mut sum = 0.0;
    for i in 0..=k {
        sum += (i as f64).mul_add(seen, ((n - i) as f64).mul_add(unseen, ways)).exp();
        ways += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
    }
    sum
}

/// The lower bound of a share of which `k` of `n` were seen (Wilson 1927). 0 where nothing was seen.
pub fn wilson_lower(k: u64, n: u64) -> f64 {
    wilson(k, n, Z).0
}

/// The bounds of a share of which `k` of `n` were seen, `z` standard errors to each side (Wilson 1927).
#[allow(clippy::cast_precision_loss, reason = "no one has 2^52 sessions")]
pub fn wilson(k: u64, n: u64, z: f64) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (n as f64, k as f64 / n as f64);
    let squared = z * z;
    let middle = share + squared / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + squared / (4.0 * n * n)).sqrt();
    let whole = 1.0 + squared / n;
    (((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    // The bounds that scipy 1.17.1 and statsmodels 0.15.0 give:
    // beta.ppf(0.95, k + 1, n - k) and proportion_confint(k, n, alpha=0.1, method="wilson")[0].
    const CLOPPER_PEARSON_UPPER: [(u64, u64, f64); 11] = [
        (0, 29, 0.098_144_627_677),
        (1, 46, 0.099_024_316_820),
        (2, 61, 0.099_634_880_194),
        (0, 12, 0.220_922_191_946),
        (1, 12, 0.338_680_668_434),
        (6, 12, 0.754_700_198_726),
        (11, 12, 0.995_734_681_222),
        (5, 205, 0.050_595_982_910),
        (45, 46, 0.998_885_549_844),
        (100, 2000, 0.058_770_314_231),
        (3, 10000, 0.000_775_181_379),
    ];
    const WILSON_LOWER: [(u64, u64, f64); 10] = [
        (2, 5, 0.142_706_472_019),
        (1, 5, 0.045_962_453_881),
        (5, 5, 0.648_883_499_235),
        (0, 5, 0.000_000_000_000),
        (1, 10, 0.022_634_908_731),
        (3, 10, 0.126_876_583_903),
        (12, 61, 0.126_673_634_023),
        (5, 205, 0.011_921_712_064),
        (200, 205, 0.950_750_771_497),
        (900, 2000, 0.431_781_944_839),
    ];

    #[test]
    fn bounds_are_those_of_scipy() {
        for (k, n, upper) in CLOPPER_PEARSON_UPPER {
            assert!(
                is_near(clopper_pearson_upper(k, n), upper),
                "{k} of {n}: {}",
                clopper_pearson_upper(k, n)
            );
        }
        for (k, n, lower) in WILSON_LOWER {
            assert!(is_near(wilson_lower(k, n), lower), "{k} of {n}: {}", wilson_lower(k, n));
        }
    }

    #[test]
    fn what_was_not_seen_bounds_nothing() {
        assert!(is_near(clopper_pearson_upper(0, 0), 1.0) && is_near(wilson_lower(0, 0), 0.0));
        assert!(is_near(clopper_pearson_upper(7, 7), 1.0));
    }

    proptest::proptest! {
        #[test]
        fn a_bound_is_a_share_and_on_its_side(n in 1_u64..400, part in 0_u64..1000) {
            let k = n * part / 1000;
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            let share = k as f64 / n as f64;
            let (lower, upper) = (wilson_lower(k, n), clopper_pearson_upper(k, n));
            proptest::prop_assert!((0.0..=share + 1e-12).contains(&lower) && (share..=1.0).contains(&upper));
        }
    }
}
