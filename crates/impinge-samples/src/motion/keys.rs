//! Interpolation between keyframes.

use glam::DQuat;

use super::{Keyframe, Repeat};
use impinge::math::Pose;
use impinge::{Error, ErrorKind};

/// Keyframes, with interpolation of the poses between them.
#[derive(Clone, Debug)]
pub(super) struct Track {
    keys: Vec<Keyframe>,
    repeat: Repeat,
}

impl Track {
    /// Creates a track.
    ///
    /// # Errors
    /// If there is no keyframe, or if times are not finite and ascending.
    pub(super) fn new(keys: &[Keyframe], repeat: Repeat) -> Result<Self, Error> {
        let bad = |message: String| Err(Error::new(ErrorKind::BadParameter, message));
        if keys.is_empty() {
            return bad("there are no keyframes; give one at least".to_owned());
        }
        if let Some(i) = keys.iter().position(|key| !key.time.is_finite()) {
            return bad(format!("keyframe {i}: its time is not finite"));
        }
        if let Some(i) = keys.windows(2).position(|w| w[0].time >= w[1].time) {
            let later = i + 1;
            return bad(format!(
                "keyframe {later}: its time is not later than that of the one before"
            ));
        }
        Ok(Self { keys: keys.to_vec(), repeat })
    }

    /// The pose at a time.
    ///
    /// # Errors
    /// None if the poses of all keyframes are in range, because interpolated poses lie between
    /// them.
    pub(super) fn pose(&self, time: f64) -> Result<Pose, Error> {
        let time = self.within(time);
        // The first key with a later time.
        let after = self.keys.partition_point(|key| key.time <= time);
        let Some(before) = after.checked_sub(1) else { return Ok(self.keys[0].pose) };
        let from = &self.keys[before];
        let Some(to) = self.keys.get(after) else { return Ok(from.pose) };
        if time == from.time {
            return Ok(from.pose);
        }
        let share = share(from.time, to.time, time);
        between(&from.pose, &to.pose, share)
    }

    /// The time on the track that corresponds to `time`, by the repeat mode.
    fn within(&self, time: f64) -> f64 {
        let (start, end) = (self.keys[0].time, self.keys[self.keys.len() - 1].time);
        let length = end - start;
        if time <= start || length == 0.0 || self.repeat == Repeat::Once {
            return time.clamp(start, end);
        }
        let rounds = share(start, end, time);
        let fraction = rounds.fract();
        let backwards = self.repeat == Repeat::BackAndForth && rounds.floor() % 2.0 == 1.0;
        let fraction = if backwards { 1.0 - fraction } else { fraction };
        let within = if length.is_finite() {
            start + length * fraction
        } else {
            start * (1.0 - fraction) + end * fraction
        };
        // If the quotient overflows, the time is past the end.
        if within.is_finite() { within.clamp(start, end) } else { end }
    }
}

/// The interpolation parameter of `time` between `from` and `to`. The difference of two finite
/// times may overflow, that of their halves does not.
fn share(from: f64, to: f64, time: f64) -> f64 {
    if (to - from).is_finite() && (time - from).is_finite() {
        (time - from) / (to - from)
    } else {
        (0.5 * time - 0.5 * from) / (0.5 * to - 0.5 * from)
    }
}

/// The interpolated pose: linear translation, and spherical linear interpolation of the rotation
/// (Shoemake 1985).
fn between(a: &Pose, b: &Pose, share: f64) -> Result<Pose, Error> {
    let (from, to) = (a.translation(), b.translation());
    // Clamped, because rounding may lead out of the interval and so out of the range of
    // coordinates.
    let translation = (from * (1.0 - share) + to * share).clamp(from.min(to), from.max(to));
    if a.rotation() == b.rotation() {
        return Pose::from_translation(translation)?.compose(&turn_of(a)?);
    }
    let (p, q) = (DQuat::from_mat3(&a.rotation()), DQuat::from_mat3(&b.rotation()));
    let q = if p.dot(q) < 0.0 { -q } else { q };
    Pose::from_quaternion(p.slerp(q, share).to_array(), translation)
}

/// The rotation of a pose alone, without rounding.
fn turn_of(pose: &Pose) -> Result<Pose, Error> {
    let mut rows = pose.to_matrix();
    rows.iter_mut().for_each(|row| row[3] = 0.0);
    Pose::from_matrix(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::math::Vec3;

    fn track(repeat: Repeat) -> Track {
        let turn = |angle: f64, x: f64| {
            let turn = Pose::from_axis_angle(Vec3::Z, angle).unwrap();
            Pose::from_translation([x, 0.0, 0.0]).unwrap().compose(&turn).unwrap()
        };
        let keys = [(1.0, turn(0.0, 0.0)), (2.0, turn(1.0, 4.0)), (4.0, turn(3.0, 4.0))]
            .map(|(time, pose)| Keyframe { time, pose });
        Track::new(&keys, repeat).unwrap()
    }

    /// The x coordinate and the angle about z.
    fn at(track: &Track, time: f64) -> (f64, f64) {
        let pose = track.pose(time).unwrap();
        let x = pose.transform_vector(Vec3::X);
        (pose.translation().x, x.y.atan2(x.x))
    }

    #[test]
    fn keyframes_are_reached_and_interpolation_is_uniform() {
        let once = track(Repeat::Once);
        for (time, x, angle) in [
            (0.0, 0.0, 0.0),
            (1.0, 0.0, 0.0),
            (1.25, 1.0, 0.25),
            (2.0, 4.0, 1.0),
            (3.5, 4.0, 2.5),
            (9.0, 4.0, 3.0),
        ] {
            let found = at(&once, time);
            assert!(
                (found.0 - x).abs() < 1e-12 && (found.1 - angle).abs() < 1e-12,
                "{time}: {found:?}"
            );
        }
        assert_eq!(once.pose(4.0).unwrap(), once.keys[2].pose);
    }

    #[test]
    fn tracks_repeat() {
        let (round, back) = (track(Repeat::Loop), track(Repeat::BackAndForth));
        for i in 0..30 {
            let share = f64::from(i) * 0.1;
            let first = at(&round, 1.0 + share);
            for later in [
                at(&round, 4.0 + share),
                at(&round, 7.0 + share),
                at(&back, 7.0 + share),
                at(&back, 7.0 - share),
            ] {
                assert!(
                    (first.0 - later.0).abs() < 1e-9 && (first.1 - later.1).abs() < 1e-9,
                    "{share}"
                );
            }
        }
    }

    #[test]
    fn interpolated_poses_are_in_range_at_any_time() {
        let at = |x: f64| Pose::from_translation([x, -x, 1e60]).unwrap();
        for (times, places) in [
            ([0.0, 3.0, 7.0], [1e60, 1e60, 1e60]),
            ([-1.7e308, 0.3, 1.7e308], [1e60, -1e60, 1e60]),
            ([0.0, 5e-324, 1e-323], [1e-310, -1e60, 5e-324]),
        ] {
            let keys: Vec<Keyframe> =
                times.iter().zip(places).map(|(t, x)| Keyframe { time: *t, pose: at(x) }).collect();
            for repeat in [Repeat::Once, Repeat::Loop, Repeat::BackAndForth] {
                let track = Track::new(&keys, repeat).unwrap();
                for n in 0..200 {
                    let share = f64::from(n) / 150.0;
                    let time = times[0] * (1.0 - share) + times[2] * share;
                    let x = track.pose(time).unwrap().translation().x;
                    assert!((-1e60..=1e60).contains(&x));
                }
                assert!(track.pose(f64::MAX).is_ok() && track.pose(f64::MIN).is_ok());
                assert_eq!(track.pose(times[0]).unwrap(), keys[0].pose);
            }
        }
    }

    #[test]
    fn invalid_tracks_are_refused() {
        let key = |time| Keyframe { time, pose: Pose::IDENTITY };
        for keys in [&[][..], &[key(f64::NAN)], &[key(1.0), key(1.0)], &[key(1.0), key(0.0)]] {
            assert_eq!(Track::new(keys, Repeat::Once).unwrap_err().kind(), ErrorKind::BadParameter);
        }
        let single = Track::new(&[key(1.0)], Repeat::Loop).unwrap();
        assert_eq!(single.pose(77.0).unwrap(), Pose::IDENTITY);
    }
}
