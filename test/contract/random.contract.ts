import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomText, type Random } from '../../src/platform/random.ts'

/** What every Random owes its callers. */
export function randomContract(name: string, make: () => Random): void {
  test(`${name}: returns the requested number of bytes`, () => {
    const random = make()
    for (const count of [0, 1, 7, 32, 1_000]) assert.equal(random.bytes(count).length, count)
  })

  test(`${name}: bytes take all values, about equally often`, () => {
    const counts = new Uint32Array(256)
    for (const byte of make().bytes(256 * 400)) counts[byte] = (counts[byte] ?? 0) + 1
    assert.ok(Math.min(...counts) > 250 && Math.max(...counts) < 550, `${Math.min(...counts)}..${Math.max(...counts)}`)
  })

  for (const below of [1, 2, 3, 10, 1_000]) {
    test(`${name}: int(${below}) stays below and reaches everything`, () => {
      const random = make()
      const counts = Array.from({ length: below }, () => 0)
      for (let i = 0; i < below * 100; i++) {
        const draw = random.int(below)
        assert.ok(Number.isInteger(draw) && draw >= 0 && draw < below, String(draw))
        counts[draw] = (counts[draw] ?? 0) + 1
      }
      assert.ok(
        counts.every((count) => count > 20),
        `${counts.slice(0, 10)}`,
      )
    })
  }

  test(`${name}: int reaches far beyond 32 bits`, () => {
    const random = make()
    const draws = Array.from({ length: 100 }, () => random.int(2 ** 47))
    assert.ok(draws.every((draw) => Number.isSafeInteger(draw) && draw >= 0 && draw < 2 ** 47))
    assert.ok(draws.some((draw) => draw > 2 ** 45))
    assert.ok(draws.some((draw) => draw % 2 === 1))
  })

  test(`${name}: int(0) is rejected`, () => {
    const random = make()
    for (const below of [0, -1, 0.5, Number.NaN]) assert.throws(() => random.int(below))
  })

  test(`${name}: texts have the given length and never repeat`, () => {
    const random = make()
    const texts = new Set(Array.from({ length: 1_000 }, () => randomText(random, 32)))
    assert.equal(texts.size, 1_000)
    for (const text of texts) assert.match(text, /^[2-9a-zA-Z]{32}$/)
  })
}
