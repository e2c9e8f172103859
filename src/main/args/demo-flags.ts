import { TwinfoldError } from '../../core/errors.ts'
import type { ParsedFlags } from '../../cli/args/parsed-flags.ts'
import type { FlagSpec } from '../../cli/args/flag-spec.ts'

export const DEMO_FLAGS: readonly FlagSpec[] = [
  { name: 'port', value: 'N', description: 'Port of the first page on 127.0.0.1 instead of any free one' },
  { name: 'no-browser', description: 'Open no browser, only print the addresses' },
]

const PORT_MAX = 65_535

export interface DemoOptions {
  /** 0 is any free port. */
  readonly port: number
  readonly openBrowser: boolean
}

/** The options of `twinfold demo`. Throws `usage` for an invalid port. */
export function readDemoOptions(flags: ParsedFlags): DemoOptions {
  const text = flags.text('port') ?? '0'
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > PORT_MAX) {
    throw new TwinfoldError('usage', `--port: expected a number from 0 to ${PORT_MAX}, got "${text}"`)
  }
  return { port, openBrowser: !flags.isOn('no-browser') }
}
