//! PNG encoding.

use anyhow::{Context, Result};

use super::image::Image;

/// The image as the bytes of a PNG file.
pub(crate) fn encode(image: &Image) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (u32::try_from(image.width)?, u32::try_from(image.height)?);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().context("cannot encode the picture")?;
    writer.write_image_data(&image.rgb).context("cannot encode the picture")?;
    writer.finish().context("cannot encode the picture")?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_image_reads_back() {
        let mut image = Image::new(5, 3, [10, 20, 30]);
        image.rectangle(1.0, 1.0, 2.0, 1.0, [200, 0, 7]);
        let bytes = encode(&image).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; 5 * 3 * 3];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (5, 3));
        assert_eq!(pixels, image.rgb);
    }
}
