/** A square of modules; `true` is dark. Without the quiet zone around it. */
export interface QrCode {
  readonly size: number
  isDark(x: number, y: number): boolean
}

/** The two bits that name the level in the format information. */
const LEVEL_BITS = 0b00

/** Draws the same content under all eight masks and keeps the one that readers find easiest. */
export function drawCode(version: number, content: Uint8Array): QrCode {
  const size = version * 4 + 17
  const canvases = MASKS.map((mask, number) => {
    const canvas = new Canvas(size)
    drawPatterns(canvas, version)
    drawFormat(canvas, number)
    drawContent(canvas, content, mask)
    return canvas
  })
  const penalties = canvases.map((canvas) => penalty(canvas))
  return canvases[penalties.indexOf(Math.min(...penalties))]!
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

class Canvas implements QrCode {
  readonly size: number
  readonly #dark: Uint8Array
  /** Places that belong to patterns: the content flows around them. */
  readonly #fixed: Uint8Array

  constructor(size: number) {
    this.size = size
    this.#dark = new Uint8Array(size * size)
    this.#fixed = new Uint8Array(size * size)
  }

  isDark(x: number, y: number): boolean {
    return this.#dark[y * this.size + x] === 1
  }

  isFixed(x: number, y: number): boolean {
    return this.#fixed[y * this.size + x] === 1
  }

  set(x: number, y: number, dark: boolean): void {
    this.#dark[y * this.size + x] = dark ? 1 : 0
  }

  /** Places outside are nobody's. */
  fix(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return
    this.set(x, y, dark)
    this.#fixed[y * this.size + x] = 1
  }
}

function drawPatterns(canvas: Canvas, version: number): void {
  const { size } = canvas
  for (let i = 0; i < size; i++) {
    canvas.fix(6, i, i % 2 === 0)
    canvas.fix(i, 6, i % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(canvas, x, y, 4)
  const marks = alignmentPlaces(version)
  const last = marks.length - 1
  for (const [i, x] of marks.entries()) {
    for (const [j, y] of marks.entries()) {
      const underFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)
      if (!underFinder) drawRings(canvas, x, y, 2)
    }
  }
  if (version >= 7) drawVersion(canvas, version)
}

/** Rings around a centre: dark up to 1, light at 2, dark at 3, light at 4; an alignment mark has a smaller middle. */
function drawRings(canvas: Canvas, centreX: number, centreY: number, radius: 2 | 4): void {
  for (let y = -radius; y <= radius; y++) {
    for (let x = -radius; x <= radius; x++) {
      const distance = Math.max(Math.abs(x), Math.abs(y))
      canvas.fix(centreX + x, centreY + y, radius === 4 ? distance !== 2 && distance !== 4 : distance !== 1)
    }
  }
}

function alignmentPlaces(version: number): readonly number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_none, i) => version * 4 + 10 - i * step).reverse()]
}

function drawVersion(canvas: Canvas, version: number): void {
  const bits = (version << 12) | checkBits(version, 12, 0x1f25)
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >>> i) & 1) === 1
    const across = canvas.size - 11 + (i % 3)
    const along = Math.floor(i / 3)
    canvas.fix(across, along, dark)
    canvas.fix(along, across, dark)
  }
}

/** Level and mask, twice, so that one damaged corner does not hide them. */
function drawFormat(canvas: Canvas, mask: number): void {
  const { size } = canvas
  const value = (LEVEL_BITS << 3) | mask
  const bits = ((value << 10) | checkBits(value, 10, 0x537)) ^ 0x5412
  for (let i = 0; i < 15; i++) {
    const dark = ((bits >>> i) & 1) === 1
    const near = i < 6 ? i : i < 8 ? i + 1 : 14 - i + (i === 8 ? 1 : 0)
    if (i < 8) canvas.fix(8, near, dark)
    else canvas.fix(near, 8, dark)
    if (i < 8) canvas.fix(size - 1 - i, 8, dark)
    else canvas.fix(8, size - 15 + i, dark)
  }
  canvas.fix(8, size - 8, true)
}

/** The remainder of value · x^degree by the polynomial: lets a reader repair a few wrong bits. */
function checkBits(value: number, degree: number, polynomial: number): number {
  let left = value
  for (let i = 0; i < degree; i++) left = (left << 1) ^ ((left >>> (degree - 1)) * polynomial)
  return left
}

/** In pairs of columns from the right, up and down in turn, past the column of the timing pattern. */
function drawContent(canvas: Canvas, content: Uint8Array, mask: (x: number, y: number) => boolean): void {
  const { size } = canvas
  let at = 0
  for (let right = size - 1, upwards = true; right >= 1; right -= 2, upwards = !upwards) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = upwards ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        if (canvas.isFixed(x, y)) continue
        const bit = at < content.length * 8 && ((content[at >>> 3]! >>> (7 - (at & 7))) & 1) === 1
        canvas.set(x, y, bit !== mask(x, y))
        at++
      }
    }
  }
}

/** How hard a code is to read: long runs, squares of one colour, what looks like a finder, an uneven share of dark. */
function penalty(code: QrCode): number {
  const { size } = code
  let points = 0
  let dark = 0
  for (let i = 0; i < size; i++) {
    points += linePenalty(size, (j) => code.isDark(j, i)) + linePenalty(size, (j) => code.isDark(i, j))
    for (let j = 0; j < size; j++) {
      if (code.isDark(j, i)) dark++
      if (i + 1 < size && j + 1 < size) points += isOneColour(code, j, i) ? 3 : 0
    }
  }
  return points + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10
}

function isOneColour(code: QrCode, x: number, y: number): boolean {
  const colour = code.isDark(x, y)
  return colour === code.isDark(x + 1, y) && colour === code.isDark(x, y + 1) && colour === code.isDark(x + 1, y + 1)
}

const LIKE_FINDER = [0b10111010000, 0b00001011101]

function linePenalty(size: number, isDark: (i: number) => boolean): number {
  let points = 0
  let run = 0
  let window = 0
  for (let i = 0; i < size; i++) {
    run = i > 0 && isDark(i) === isDark(i - 1) ? run + 1 : 1
    if (run === 5) points += 3
    else if (run > 5) points++
    window = ((window << 1) | (isDark(i) ? 1 : 0)) & 0x7ff
    if (i >= 10 && LIKE_FINDER.includes(window)) points += 40
  }
  return points
}
