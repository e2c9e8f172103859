/**
 * Loaded before the tests of a mutant: gives them one source with the fault planted; the file on disk stays as it is.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const planted: unknown = JSON.parse(process.env['TWINFOLD_MUTANT'] ?? 'null')

interface Planted {
  readonly url: string
  readonly start: number
  readonly end: number
  readonly text: string
}

function isPlanted(value: unknown): value is Planted {
  return typeof value === 'object' && value !== null && 'url' in value
}

if (isPlanted(planted)) {
  const { url, start, end, text } = planted
  registerHooks({
    load(loaded, context, next) {
      if (loaded !== url) return next(loaded, context)
      const source = readFileSync(new URL(url), 'utf8')
      return {
        format: 'module-typescript',
        shortCircuit: true,
        source: source.slice(0, start) + text + source.slice(end),
      }
    },
  })
}
