import { TwinfoldError } from '../core/errors.ts'
import type { Flag } from './flags.ts'

export const DEMO_FLAGS: readonly Flag[] = [
  { name: 'port', value: 'N', help: 'Port of the first page on 127.0.0.1 instead of any that is free' },
  { name: 'no-browser', help: 'Open no browser, only say where the pages are' },
]

const PORT_MAX = 65_535

export interface DemoOptions {
  /** 0 is any that is free. */
  readonly port: number
  readonly openBrowser: boolean
}

/** What `twinfold demo` was told. Throws `usage` for a port that is none. */
export function readDemoOptions(values: ReadonlyMap<string, string>): DemoOptions {
  const text = values.get('port') ?? '0'
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > PORT_MAX) {
    throw new TwinfoldError('usage', `--port: expected a number from 0 to ${PORT_MAX}, got "${text}"`)
  }
  return { port, openBrowser: values.get('no-browser') !== 'true' }
}
