//! Colours: a categorical palette that colour-blind readers can distinguish, extended without end.

/// Okabe and Ito's palette without black, then muted colours after Tol.
const PALETTE: [Colour; 14] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0xf0, 0xe4, 0x42),
    Colour(0x33, 0x22, 0x88),
    Colour(0x99, 0x99, 0x33),
    Colour(0x88, 0x22, 0x55),
    Colour(0x44, 0xaa, 0x99),
    Colour(0xdd, 0xcc, 0x77),
    Colour(0x11, 0x77, 0x33),
    Colour(0x9b, 0x9b, 0xd8),
];

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// The colour of the `index`-th category. The same in every drawing.
    pub(super) fn category(index: usize) -> Self {
        match PALETTE.get(index) {
            Some(&colour) => colour,
            None => golden(index - PALETTE.len()),
        }
    }

    /// The mixture of both colours: `part` is the share of `other`.
    pub(super) fn mix(self, other: Colour, part: f64) -> Colour {
        let channel =
            |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
        Colour(
            channel(self.0, other.0),
            channel(self.1, other.1),
            channel(self.2, other.2),
        )
    }

    /// `#rrggbb`.
    pub(super) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Black or white, whichever is easier to read on this colour.
    pub(super) fn text(self) -> &'static str {
        // Contrast ratios of WCAG 2: black reads better as soon as the luminance is above about 0.18.
        if (self.luminance() + 0.05) / 0.05 >= 1.05 / (self.luminance() + 0.05) {
            "#000000"
        } else {
            "#ffffff"
        }
    }

    /// Relative luminance, by a cubic approximation of the sRGB curve.
    pub(super) fn luminance(self) -> f64 {
        let channel = |value: u8| {
            let value = f64::from(value) / 255.0;
            value * (value * (value * 0.305_306 + 0.682_171) + 0.012_523)
        };
        0.2126 * channel(self.0) + 0.7152 * channel(self.1) + 0.0722 * channel(self.2)
    }
}

/// Hues a golden angle apart, with lightness and saturation in turn.
fn golden(index: usize) -> Colour {
    let hue = (index as f64 * 0.618_033_988_75 + 0.07).fract();
    let lightness = [0.46, 0.66, 0.34, 0.78][index % 4];
    let saturation = [0.62, 0.70, 0.55][index % 3];
    hsl(hue, saturation, lightness)
}

/// Hue, saturation and lightness in 0..=1.
fn hsl(hue: f64, saturation: f64, lightness: f64) -> Colour {
    let spread = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let k = (offset + hue * 12.0) % 12.0;
        let value = lightness - spread * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    Colour(channel(0.0), channel(8.0), channel(4.0))
}
