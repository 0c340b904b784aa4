//! Moving scenes from files.

use std::path::Path;

use super::{Keyframe, Motion, MovingBody, MovingScene, Repeat};
use impinge::internals::scene::from_document;
use impinge::math::{Aabb, Pose, Vec3};
use impinge::scene::{LoadOptions, Loaded};
use impinge::{Error, ErrorKind};
use impinge_io::Document;

impl MovingScene {
    /// Loads the parts of a file and their motion. Bodies without a motion in the file get the
    /// motion `otherwise`, unless they have a parent. Only scene files (TOML, JSON) can contain
    /// motion, in sections that the documentation of [`impinge_io::scene`] describes. In other
    /// files every part is a body.
    ///
    /// The second value describes the content of the file. Its scene is that of the moving scene.
    ///
    /// # Errors
    /// As [`Scene::load`](impinge::Scene::load), and if a pose that must be rigid is not. The
    /// message contains the file, the part and the field.
    ///
    /// ```no_run
    /// use impinge_samples::motion::{Motion, MovingScene, Stage};
    ///
    /// let (scene, found) = MovingScene::load("line.toml", &Motion::Still)?;
    /// println!("{found}");
    /// let stage = Stage::new(&scene, &Default::default(), 1)?;
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>, otherwise: &Motion) -> Result<(Self, Loaded), Error> {
        let path = path.as_ref();
        let document = impinge_io::load(path)
            .map_err(|e| Error::new(ErrorKind::File, e.to_string()).with_source(e))?;
        Self::from_document(document, otherwise).map_err(|e| e.within(path.display()))
    }

    /// As [`MovingScene::load`], from a document that is already read.
    ///
    /// # Errors
    /// As [`MovingScene::load`]; the message contains the part and the field, but no file.
    pub fn from_document(
        mut document: Document,
        otherwise: &Motion,
    ) -> Result<(Self, Loaded), Error> {
        let bodies = std::mem::take(&mut document.bodies);
        let loaded = from_document(document, &LoadOptions::default())?;
        let scene = loaded.scene.clone();
        if bodies.is_empty() {
            return Ok((Self::of_parts(scene, otherwise), loaded));
        }
        let mut carries = vec![false; bodies.len()];
        bodies.iter().filter_map(|body| body.parent).for_each(|parent| carries[parent] = true);
        let made: Result<Vec<MovingBody>, Error> = bodies
            .into_iter()
            .zip(carries)
            .map(|(body, carries)| {
                let part = format!("part {}", body.name);
                moving(body, carries, otherwise).map_err(|e| e.within(part))
            })
            .collect();
        Ok((Self { scene, bodies: made?, ignore_links: 0 }, loaded))
    }
}

fn moving(body: impinge_io::Body, carries: bool, otherwise: &Motion) -> Result<MovingBody, Error> {
    let motion = match body.motion {
        Some(motion) => from_file(motion)?,
        None if body.parent.is_some() => Motion::Still,
        None => otherwise.clone(),
    };
    let origin = match rigid(body.matrix) {
        Ok(origin) => origin,
        // No other body depends on its frame, so only its position is needed.
        Err(_)
            if !carries && body.parent.is_none() && !matches!(motion, Motion::Keyframes { .. }) =>
        {
            Pose::from_translation(body.matrix.map(|row| row[3]))?
        }
        Err(e) => {
            return Err(e.within("pose (the pose of a part that has keyframes, a parent or children must be rigid: use `scale` to scale it)"));
        }
    };
    let (name, parts, parent) = (body.name, body.instances, body.parent);
    Ok(MovingBody { name, parts, parent, origin, motion })
}

/// The pose of a matrix. Its rotation may be rounded to single precision.
fn rigid(matrix: [[f64; 4]; 3]) -> Result<Pose, Error> {
    Pose::from_matrix(matrix).or_else(|e| Pose::from_nearest_rotation(matrix).map_err(|_| e))
}

fn from_file(motion: impinge_io::Motion) -> Result<Motion, Error> {
    let boxed = |cage: Option<[[f64; 3]; 2]>| {
        cage.map(|[low, high]| Aabb { min: Vec3::from(low), max: Vec3::from(high) })
    };
    let vector = |v: Option<[f64; 3]>| v.map(Vec3::from);
    let radians = |degrees: Option<f64>| degrees.map(f64::to_radians);
    Ok(match motion {
        impinge_io::Motion::Still => Motion::Still,
        impinge_io::Motion::Billiard { velocity, speed, axis, spin_deg, cage, bounce, seed } => {
            Motion::Billiard {
                velocity: vector(velocity),
                speed,
                axis: vector(axis),
                spin: radians(spin_deg),
                cage: boxed(cage),
                bounce,
                seed,
            }
        }
        impinge_io::Motion::Brownian { step, turn_deg, cage, seed } => {
            Motion::Brownian { step, turn: radians(turn_deg), cage: boxed(cage), seed }
        }
        impinge_io::Motion::Falling {
            gravity,
            floor,
            restitution,
            velocity,
            axis,
            spin_deg,
            seed,
        } => Motion::Falling {
            gravity: vector(gravity),
            floor,
            restitution,
            velocity: vector(velocity),
            axis: vector(axis),
            spin: radians(spin_deg),
            seed,
        },
        impinge_io::Motion::Keyframes { keyframes, repeat } => {
            let mut keys = Vec::with_capacity(keyframes.len());
            for (i, key) in keyframes.into_iter().enumerate() {
                let pose = rigid(key.matrix)
                    .map_err(|e| e.within(format_args!("motion.keyframe {i}, pose")))?;
                keys.push(Keyframe { time: key.time, pose });
            }
            let repeat = match repeat {
                impinge_io::Repeat::Once => Repeat::Once,
                impinge_io::Repeat::Loop => Repeat::Loop,
                impinge_io::Repeat::BackAndForth => Repeat::BackAndForth,
            };
            Motion::Keyframes { keyframes: keys, repeat }
        }
        other => {
            let message = format!("motion {other:?} is of an unknown kind");
            return Err(Error::new(ErrorKind::File, message));
        }
    })
}
