//! Typed views of buffers. All bounds are checked before the first byte is read.
//!
//! glTF 2.0 specification, section 3.6; normalised integers as in `KHR_mesh_quantization`.

use super::buffers::{Buffers, Bytes};
use super::json::{Accessor, Root};
use crate::error::{Error, ErrorKind, ItemKind, Location};

/// The maximum number of elements that are decoded from a document of `bytes` bytes, over all
/// accessors. Real files stay far below it. Only files with many accessors for the same bytes, or
/// with large counts of zeros that are not stored, exceed it.
fn max_elements(bytes: usize) -> usize {
    bytes.saturating_mul(8).saturating_add(1 << 16)
}

/// The data of a document.
pub(super) struct Data<'a> {
    pub(super) root: &'a Root,
    buffers: Vec<Option<Bytes<'a>>>,
    /// The number of elements that may still be decoded.
    elements_left: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn decode(self, b: &[u8]) -> f64 {
        match self {
            Self::I8 => f64::from(b[0] as i8),
            Self::U8 => f64::from(b[0]),
            Self::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Self::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Self::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        }
    }

    /// The divisor of a normalised integer.
    fn divisor(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }
}

/// Elements at a fixed distance in a slice that contains all of them.
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (bytes, stride, size) = (self.bytes, self.stride, self.size);
        (0..self.count).map(move |i| &bytes[i * stride..i * stride + size])
    }
}

impl<'a> Data<'a> {
    pub(super) fn new(root: &'a Root, buffers: Buffers<'a>, json: usize) -> Self {
        let elements_left = max_elements(buffers.size.saturating_add(json));
        Self { root, buffers: buffers.bytes, elements_left }
    }

    /// Counts `count` elements that are about to be decoded; an error beyond [`max_elements`].
    pub(super) fn spend(&mut self, count: usize, here: Location) -> Result<(), Error> {
        match self.elements_left.checked_sub(count) {
            Some(left) => {
                self.elements_left = left;
                Ok(())
            }
            None => Err(Error::new(
                ErrorKind::TooLarge,
                here,
                "the file declares many times more elements than its bytes can contain",
            )),
        }
    }

    fn strided(
        &self,
        view: usize,
        offset: usize,
        size: usize,
        count: usize,
        here: Location,
    ) -> Result<Strided<'_>, Error> {
        let fail = |kind, message: String| Err(Error::new(kind, here, message));
        let Some(v) = self.root.buffer_views.get(view) else {
            return fail(ErrorKind::BadReference, format!("bufferView {view} does not exist"));
        };
        let Some(buffer) = self.buffers.get(v.buffer) else {
            return fail(ErrorKind::BadReference, format!("buffer {} does not exist", v.buffer));
        };
        let compression = v.extensions.keys().find(|k| k.contains("meshopt"));
        let (Some(bytes), None) = (buffer, compression) else {
            return match compression {
                Some(name) => fail(ErrorKind::Unsupported, unsupported(name)),
                None => {
                    let message = format!("buffer {} has no data", v.buffer);
                    fail(ErrorKind::BadReference, message)
                }
            };
        };
        let end = v.byte_offset.checked_add(v.byte_length);
        let Some(bytes) = end.and_then(|end| bytes.get(v.byte_offset..end)) else {
            let message =
                format!("bufferView {view} ends after its buffer of {} bytes", bytes.len());
            return fail(ErrorKind::UnexpectedEnd, message);
        };
        let stride = match v.byte_stride {
            Some(s) if s < size => {
                let message =
                    format!("bufferView {view} has stride {s}, less than one element ({size})");
                return fail(ErrorKind::Syntax, message);
            }
            Some(s) => s,
            None => size,
        };
        let needed = match count {
            0 => Some(0),
            n => (n - 1).checked_mul(stride).and_then(|x| x.checked_add(size)),
        };
        let fits = needed.and_then(|n| n.checked_add(offset)).filter(|&n| n <= bytes.len());
        if fits.is_none() && count > 0 {
            let message = format!(
                "{count} elements with stride {stride} from byte {offset} do not fit into bufferView {view} of {} bytes",
                bytes.len()
            );
            return fail(ErrorKind::UnexpectedEnd, message);
        }
        Ok(Strided { bytes: bytes.get(offset..).unwrap_or_default(), stride, size, count })
    }

    fn accessor(
        &self,
        index: usize,
        shape: &str,
    ) -> Result<(&'a Accessor, Component, Location), Error> {
        let here = Location::Item(ItemKind::Accessor, index as u64);
        let Some(accessor) = self.root.accessors.get(index) else {
            let message = format!("accessor {index} does not exist");
            return Err(Error::new(ErrorKind::BadReference, Location::Whole, message));
        };
        if accessor.shape != shape {
            let message = format!("its type is not {shape}");
            return Err(Error::new(ErrorKind::Syntax, here, message));
        }
        let Some(component) = Component::from_code(accessor.component_type) else {
            let message = format!("{} is not a component type", accessor.component_type);
            return Err(Error::new(ErrorKind::Syntax, here, message));
        };
        Ok((accessor, component, here))
    }

    /// The indices of accessor `index`.
    pub(super) fn indices(&mut self, index: usize) -> Result<Vec<u32>, Error> {
        let (accessor, component, here) = self.accessor(index, "SCALAR")?;
        if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
            let message = "indices must be unsigned bytes, shorts or ints";
            return Err(Error::new(ErrorKind::Syntax, here, message));
        }
        self.spend(accessor.count, here)?;
        let mut indices = match accessor.buffer_view {
            Some(view) => self
                .strided(view, accessor.byte_offset, component.size(), accessor.count, here)?
                .iter()
                .map(|b| component.decode(b) as u32)
                .collect(),
            None => vec![0; accessor.count],
        };
        self.apply_sparse(accessor, component.size(), here, |at, b| {
            indices[at] = component.decode(b) as u32;
        })?;
        Ok(indices)
    }

    /// The points of accessor `index`, all of them finite.
    pub(super) fn positions(&mut self, index: usize) -> Result<Vec<[f64; 3]>, Error> {
        let (accessor, component, here) = self.accessor(index, "VEC3")?;
        if component == Component::U32 {
            let message = "positions must be floats, or bytes or shorts (KHR_mesh_quantization)";
            return Err(Error::new(ErrorKind::Syntax, here, message));
        }
        if accessor.count > u32::MAX as usize {
            let message = "more than 4294967295 vertices; split the file";
            return Err(Error::new(ErrorKind::TooLarge, here, message));
        }
        self.spend(accessor.count, here)?;
        let size = component.size();
        let divisor = component.divisor();
        let point = |b: &[u8]| {
            [0, 1, 2].map(|k| {
                let x = component.decode(&b[k * size..]);
                if accessor.normalized { (x / divisor).max(-1.0) } else { x }
            })
        };
        let mut positions: Vec<[f64; 3]> = match accessor.buffer_view {
            Some(view) => self
                .strided(view, accessor.byte_offset, 3 * size, accessor.count, here)?
                .iter()
                .map(point)
                .collect(),
            None => vec![[0.0; 3]; accessor.count],
        };
        self.apply_sparse(accessor, 3 * size, here, |at, b| positions[at] = point(b))?;
        if let Some(i) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            let message = format!("vertex {i} is {:?}, not a finite point", positions[i]);
            return Err(Error::new(ErrorKind::NotFinite, here, message));
        }
        Ok(positions)
    }

    /// Calls `set` for every element that a sparse accessor replaces.
    fn apply_sparse(
        &self,
        accessor: &Accessor,
        size: usize,
        here: Location,
        mut set: impl FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        let component = Component::from_code(sparse.indices.component_type)
            .filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32));
        let Some(component) = component else {
            let message = "sparse indices must be unsigned bytes, shorts or ints";
            return Err(Error::new(ErrorKind::Syntax, here, message));
        };
        let i = &sparse.indices;
        let v = &sparse.values;
        let at =
            self.strided(i.buffer_view, i.byte_offset, component.size(), sparse.count, here)?;
        let values = self.strided(v.buffer_view, v.byte_offset, size, sparse.count, here)?;
        for (at, value) in at.iter().zip(values.iter()) {
            let at = component.decode(at) as usize;
            if at >= accessor.count {
                let message =
                    format!("a sparse index is {at}, but there are {} elements", accessor.count);
                return Err(Error::new(ErrorKind::IndexOutOfBounds, here, message));
            }
            set(at, value);
        }
        Ok(())
    }
}

/// The message for an unsupported extension that affects the geometry.
pub(super) fn unsupported(extension: &str) -> String {
    format!("the extension {extension} is not supported; export the file without it")
}
