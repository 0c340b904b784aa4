//! An 8-bit RGB image, with the flat shapes of markers and legend.

use super::shade::Rgb;

/// Rows of RGB bytes, top row first.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgb: Vec<u8>,
}

impl Image {
    /// An image of one colour.
    pub(crate) fn new(width: usize, height: usize, fill: Rgb) -> Self {
        Self { width, height, rgb: fill.repeat(width * height) }
    }

    /// One pixel.
    #[cfg(test)]
    pub(crate) fn pixel(&self, x: usize, y: usize) -> Rgb {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// Blends `rgb` into one pixel; does nothing outside the image.
    pub(crate) fn blend(&mut self, x: i64, y: i64, rgb: Rgb, alpha: f64) {
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        if !inside || alpha <= 0.0 {
            return;
        }
        let at = 3 * (y as usize * self.width + x as usize);
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip(rgb) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * alpha.min(1.0);
            *old = mixed.round() as u8;
        }
    }

    /// Draws a filled rectangle.
    pub(crate) fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, rgb: Rgb) {
        for py in y.round() as i64..(y + height).round() as i64 {
            for px in x.round() as i64..(x + width).round() as i64 {
                self.blend(px, py, rgb, 1.0);
            }
        }
    }

    /// Draws a ring with smooth borders; a disc if `inner` is zero.
    pub(crate) fn ring(&mut self, center: [f64; 2], inner: f64, outer: f64, rgb: Rgb) {
        self.shape(center, outer + 1.0, rgb, |x, y| {
            let r = x.hypot(y);
            let hole = if inner > 0.0 { (inner - r + 0.5).clamp(0.0, 1.0) } else { 0.0 };
            (outer - r + 0.5).clamp(0.0, 1.0) - hole
        });
    }

    /// Draws a straight stroke with round ends.
    pub(crate) fn stroke(&mut self, a: [f64; 2], b: [f64; 2], thickness: f64, rgb: Rgb) {
        let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
        let half = [0.5 * (b[0] - a[0]), 0.5 * (b[1] - a[1])];
        let length2 = half[0] * half[0] + half[1] * half[1];
        let reach = length2.sqrt() + thickness + 1.0;
        self.shape(middle, reach, rgb, |x, y| {
            let t = if length2 > 0.0 {
                ((x * half[0] + y * half[1]) / length2).clamp(-1.0, 1.0)
            } else {
                0.0
            };
            (0.5 * thickness + 0.5 - (x - t * half[0]).hypot(y - t * half[1])).clamp(0.0, 1.0)
        });
    }

    /// Blends in `rgb` with the opacity `coverage` of the offset from `center`, up to the distance
    /// `reach` along each axis.
    fn shape(
        &mut self,
        center: [f64; 2],
        reach: f64,
        rgb: Rgb,
        coverage: impl Fn(f64, f64) -> f64,
    ) {
        let range = |c: f64, side: usize| {
            let low = (c - reach).floor().max(0.0);
            let high = (c + reach).ceil().min(side as f64 - 1.0);
            low as i64..=high as i64
        };
        if !(center[0].is_finite() && center[1].is_finite()) {
            return;
        }
        for y in range(center[1], self.height) {
            for x in range(center[0], self.width) {
                let (dx, dy) = (x as f64 + 0.5 - center[0], y as f64 + 0.5 - center[1]);
                self.blend(x, y, rgb, coverage(dx, dy));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_clipped_to_the_image() {
        let mut image = Image::new(20, 10, [255; 3]);
        image.ring([10.0, 5.0], 0.0, 3.0, [0; 3]);
        assert_eq!((image.pixel(10, 5), image.pixel(1, 1)), ([0; 3], [255; 3]));
        image.ring([-4.0, 50.0], 2.0, 90.0, [9; 3]);
        image.ring([f64::NAN, 0.0], 0.0, 5.0, [0; 3]);
        image.stroke([-1e9, 2.0], [1e9, 2.0], 1.0, [7; 3]);
        assert_eq!(image.pixel(3, 1), image.pixel(17, 1));
        image.rectangle(-5.0, -5.0, 8.0, 8.0, [1, 2, 3]);
        assert_eq!(image.pixel(2, 2), [1, 2, 3]);
        assert_ne!(image.pixel(3, 3), [1, 2, 3]);
    }
}
