/** Which pictures are served from here: told by their bytes alone, never by what somebody says of them. No SVG, which holds scripts. */

export const mostPictureBytes = 64 * 1024
/** Pixels: a small file can name a picture that fills the memory of a browser. */
const mostSide = 2048

export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export type PictureType = (typeof pictureTypes)[number]

interface Size {
  width: number
  height: number
}

/** The type of a picture, or what is wrong with it, to follow its name. */
export function pictureOf(bytes: Buffer): { type: PictureType } | { problem: string } {
  if (bytes.length > mostPictureBytes) return { problem: `is larger than ${mostPictureBytes / 1024} KiB` }
  const [type, size] = sizeOf(bytes)
  if (type === undefined || size === undefined) return { problem: 'is no PNG, JPEG or WebP' }
  const { width, height } = size
  if (width < 1 || height < 1) return { problem: 'has no pixels' }
  if (width > mostSide || height > mostSide)
    return { problem: `has ${width} × ${height} pixels, and may have ${mostSide} on each side` }
  return { type }
}

function sizeOf(bytes: Buffer): [PictureType, Size | undefined] | [] {
  if (bytes.length < 30) return []
  const hex = bytes.toString('latin1', 0, 16)
  if (hex.startsWith('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'))
    return ['image/png', { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }]
  if (hex.startsWith('\xff\xd8\xff')) return ['image/jpeg', jpegSize(bytes)]
  if (hex.startsWith('RIFF') && hex.slice(8, 12) === 'WEBP') return ['image/webp', webpSize(bytes)]
  return []
}

/** The size in the first frame header (ITU T.81, B.2.2), which stands before the first scan. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (marker < 0xff_c0 || marker === 0xff_da || marker === 0xff_ff) return undefined
    const isFrame = marker <= 0xff_cf && ![0xff_c4, 0xff_c8, 0xff_cc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
  }
  return undefined
}

/** Lossy, lossless or extended (RFC 9649 §2.5 to §2.7). */
function webpSize(bytes: Buffer): Size | undefined {
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d_01_2a)
    return { width: bytes.readUInt16LE(26) & 0x3f_ff, height: bytes.readUInt16LE(28) & 0x3f_ff }
  if (kind === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 }
  }
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  return undefined
}
