//! Motions of the parts of a scene file.
//!
//! This module checks the values of fields. The simulation chooses the defaults of omitted fields.

use serde::Deserialize;

use super::pose::Pose;
use crate::document::{Keyframe, Motion, Repeat};
use crate::error::ErrorKind;

/// A motion as in the file: the fields of all kinds, all optional.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MotionTable {
    kind: Option<String>,
    velocity: Option<[f64; 3]>,
    speed: Option<f64>,
    axis: Option<[f64; 3]>,
    spin_deg: Option<f64>,
    cage: Option<[[f64; 3]; 2]>,
    bounce: Option<bool>,
    step: Option<f64>,
    turn_deg: Option<f64>,
    gravity: Option<[f64; 3]>,
    floor: Option<f64>,
    restitution: Option<f64>,
    seed: Option<u64>,
    keyframe: Option<Vec<KeyframeTable>>,
    repeat: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyframeTable {
    time: f64,
    #[serde(default)]
    pose: Pose,
}

/// The kinds of motion and their fields.
const KINDS: [(&str, &[&str]); 5] = [
    ("still", &[]),
    ("billiard", &["velocity", "speed", "axis", "spin_deg", "cage", "bounce", "seed"]),
    ("brownian", &["step", "turn_deg", "cage", "seed"]),
    ("falling", &["gravity", "floor", "restitution", "velocity", "axis", "spin_deg", "seed"]),
    ("keyframes", &["keyframe", "repeat"]),
];

/// The kind and message of an error; the caller adds the part and the file.
type MotionError = (ErrorKind, String);

impl MotionTable {
    /// The motion; errors contain the field.
    pub(super) fn motion(&self) -> Result<Motion, MotionError> {
        let kinds = || KINDS.map(|(kind, _)| kind).join(", ");
        let Some(kind) = &self.kind else {
            return Err(syntax(format!("motion.kind is missing; expected one of {}", kinds())));
        };
        let Some((kind, fields)) = KINDS.iter().find(|(name, _)| name == kind) else {
            return Err(syntax(format!("motion.kind is {kind:?}; expected one of {}", kinds())));
        };
        if let Some(field) = self.present_fields().find(|field| !fields.contains(field)) {
            let fields = if fields.is_empty() { "no fields".into() } else { fields.join(", ") };
            return Err(syntax(format!(
                "motion.{field} is not a field of the kind {kind:?}, which has {fields}"
            )));
        }
        self.check_numbers()?;
        Ok(match *kind {
            "billiard" => Motion::Billiard {
                velocity: self.velocity,
                speed: self.speed,
                axis: self.axis,
                spin_deg: self.spin_deg,
                cage: self.cage,
                bounce: self.bounce.unwrap_or(true),
                seed: self.seed,
            },
            "brownian" => Motion::Brownian {
                step: self.step,
                turn_deg: self.turn_deg,
                cage: self.cage,
                seed: self.seed,
            },
            "falling" => Motion::Falling {
                gravity: self.gravity,
                floor: self.floor,
                restitution: self.restitution,
                velocity: self.velocity,
                axis: self.axis,
                spin_deg: self.spin_deg,
                seed: self.seed,
            },
            "keyframes" => {
                Motion::Keyframes { keyframes: self.keyframes()?, repeat: self.repeat()? }
            }
            _ => Motion::Still,
        })
    }

    /// The names of all present fields except the kind.
    fn present_fields(&self) -> impl Iterator<Item = &'static str> {
        [
            ("velocity", self.velocity.is_some()),
            ("speed", self.speed.is_some()),
            ("axis", self.axis.is_some()),
            ("spin_deg", self.spin_deg.is_some()),
            ("cage", self.cage.is_some()),
            ("bounce", self.bounce.is_some()),
            ("step", self.step.is_some()),
            ("turn_deg", self.turn_deg.is_some()),
            ("gravity", self.gravity.is_some()),
            ("floor", self.floor.is_some()),
            ("restitution", self.restitution.is_some()),
            ("seed", self.seed.is_some()),
            ("keyframe", self.keyframe.is_some()),
            ("repeat", self.repeat.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_present)| is_present.then_some(name))
    }

    fn check_numbers(&self) -> Result<(), MotionError> {
        let cage = self.cage.map(|[low, high]| [low, high].concat());
        let numbers: [(&str, &[f64]); 10] = [
            ("velocity", self.velocity.as_ref().map_or(&[], |v| v)),
            ("axis", self.axis.as_ref().map_or(&[], |v| v)),
            ("gravity", self.gravity.as_ref().map_or(&[], |v| v)),
            ("cage", cage.as_deref().unwrap_or(&[])),
            ("speed", self.speed.as_slice()),
            ("spin_deg", self.spin_deg.as_slice()),
            ("step", self.step.as_slice()),
            ("turn_deg", self.turn_deg.as_slice()),
            ("floor", self.floor.as_slice()),
            ("restitution", self.restitution.as_slice()),
        ];
        for (name, values) in numbers {
            if values.iter().any(|x| !x.is_finite()) {
                return Err((ErrorKind::NotFinite, format!("motion.{name} is not finite")));
            }
        }
        for (name, value) in
            [("speed", self.speed), ("step", self.step), ("turn_deg", self.turn_deg)]
        {
            if value.is_some_and(|x| x < 0.0) {
                return Err(syntax(format!("motion.{name} is negative; it must be at least 0")));
            }
        }
        for (name, value) in [("axis", self.axis), ("gravity", self.gravity)] {
            if value == Some([0.0; 3]) {
                return Err(syntax(format!("motion.{name} is zero; it must have a direction")));
            }
        }
        if self.restitution.is_some_and(|r| !(0.0..=1.0).contains(&r)) {
            return Err(syntax("motion.restitution must be between 0 and 1".into()));
        }
        if self.velocity.is_some() && self.speed.is_some() {
            return Err(syntax("motion has both velocity and speed; give only one of them".into()));
        }
        if self.cage.is_some_and(|[low, high]| low.iter().zip(high).any(|(l, h)| *l >= h)) {
            let message = "motion.cage must be two corners: the minimum, then the maximum, larger in every coordinate";
            return Err(syntax(message.into()));
        }
        Ok(())
    }

    fn keyframes(&self) -> Result<Vec<Keyframe>, MotionError> {
        let tables = self.keyframe.as_deref().unwrap_or(&[]);
        if tables.is_empty() {
            return Err(syntax("motion.keyframe is missing; give at least one keyframe".into()));
        }
        let mut frames: Vec<Keyframe> = Vec::with_capacity(tables.len());
        for (i, table) in tables.iter().enumerate() {
            let message = |problem: &str| format!("motion.keyframe {i}: {problem}");
            if !table.time.is_finite() {
                return Err((ErrorKind::NotFinite, message("its time is not finite")));
            }
            if frames.last().is_some_and(|last| last.time >= table.time) {
                return Err(syntax(message(
                    "its time must be after that of the previous keyframe",
                )));
            }
            let matrix =
                table.pose.matrix().map_err(|(kind, problem)| (kind, message(&problem)))?;
            if !crate::matrix::is_finite(&matrix) {
                return Err((ErrorKind::NotFinite, message("its pose is not finite")));
            }
            frames.push(Keyframe { time: table.time, matrix });
        }
        Ok(frames)
    }

    fn repeat(&self) -> Result<Repeat, MotionError> {
        match self.repeat.as_deref() {
            None | Some("once") => Ok(Repeat::Once),
            Some("loop") => Ok(Repeat::Loop),
            Some("back-and-forth") => Ok(Repeat::BackAndForth),
            Some(other) => Err(syntax(format!(
                "motion.repeat is {other:?}; expected one of once, loop, back-and-forth"
            ))),
        }
    }
}

fn syntax(message: String) -> MotionError {
    (ErrorKind::Syntax, message)
}
