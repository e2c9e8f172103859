import { pngFile } from '../../http/formats/png.ts'

const WIDTH = 360
const HEIGHT = 240
const EIGHT_BIT_RGB = Uint8Array.of(8, 2, 0, 0, 0)
const PIXEL_BYTES = 3
const HILLS = 3
/** Film grain; without it the file would be as small as an icon. */
const GRAIN = 0x07

type Colour = readonly [red: number, green: number, blue: number]

const SUN: Colour = [255, 244, 214]

/** A generated landscape: sky, a sun, three rows of hills. The same number gives the same picture. */
export function landscape(number: number): Uint8Array {
  const shade = mixer(number)
  const [top, bottom]: readonly Colour[] = [hue(shade(), 0.5), hue(shade(), 0.85)]
  const ground = hue(shade(), 0.45)
  const sun = { x: WIDTH * (0.2 + 0.6 * shade()), y: HEIGHT * (0.15 + 0.25 * shade()), radius: 14 + 16 * shade() }
  const waves = Array.from({ length: HILLS }, () => [0.01 + 0.02 * shade(), 6.28 * shade(), 14 + 16 * shade()] as const)
  const ridges = waves.map(([step, phase, height], row) =>
    Float64Array.from({ length: WIDTH }, (_, x) => HEIGHT * (0.5 + 0.15 * row) + height * Math.sin(step * x + phase)),
  )
  const rows = new Uint8Array(HEIGHT * (1 + WIDTH * PIXEL_BYTES))
  let grain = number
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    at++ // zero: no filter
    const sky = mix(top!, bottom!, y / HEIGHT)
    const hills = ridges.map((_, row) => mix(sky, ground, (row + 1) / HILLS))
    for (let x = 0; x < WIDTH; x++, at += PIXEL_BYTES) {
      const hill = ridges.findLastIndex((ridge) => y > ridge[x]!)
      const isSun = hill < 0 && Math.hypot(x - sun.x, y - sun.y) < sun.radius
      rows.set(isSun ? SUN : (hills[hill] ?? sky), at)
      grain = (Math.imul(grain, 1_664_525) + 1_013_904_223) | 0
      rows[at + 1]! -= (grain >>> 24) & GRAIN
    }
  }
  return pngFile(WIDTH, HEIGHT, EIGHT_BIT_RGB, rows)
}

/** Pseudo-random numbers from 0 to 1 that depend on the seed alone. */
function mixer(start: number): () => number {
  let state = start * 2_654_435_761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

function hue(turn: number, light: number): Colour {
  const part = (shift: number) => Math.round(255 * (light + 0.18 * Math.cos(6.2832 * (turn + shift))))
  return [clamp(part(0)), clamp(part(1 / 3)), clamp(part(2 / 3))]
}

function mix(a: Colour, b: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2) => Math.round(a[index] + (b[index] - a[index]) * share)
  return [part(0), part(1), part(2)]
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, value))
}
