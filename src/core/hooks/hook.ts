import { TwinfoldError } from '../errors.ts'
import { parseIp } from '../network/ip.ts'
import { isPublicAddress } from '../network/public-address.ts'

/** What a hook waits for: a state that has settled, never a change of a single file. */
export const HOOK_CONDITIONS = [
  'folder-in-sync',
  'folder-behind',
  'conflict',
  'guard-held',
  'device-away',
  'error',
  'error-gone',
  'disk-low',
  'all-in-sync',
] as const

export type HookCondition = (typeof HOOK_CONDITIONS)[number]

export const HOOK_FORMATS = ['json', 'ntfy', 'healthchecks'] as const

type HookFormat = (typeof HOOK_FORMATS)[number]

export interface UrlTarget {
  readonly kind: 'url'
  readonly url: string
  readonly format: HookFormat
  /** Signs requests; never shown. */
  readonly secret: string | undefined
  /** Whether the server may be in a private network or on this machine. */
  readonly allowPrivate: boolean
}

export interface ProgramTarget {
  readonly kind: 'program'
  readonly program: string
  /** Passed without a shell. */
  readonly args: readonly string[]
}

export interface Hook {
  /** Another one for every hook that is added, also under a name that was used before. */
  readonly id: string
  readonly name: string
  readonly on: HookCondition
  /** Undefined: every folder. */
  readonly folder: string | undefined
  /** With `device-away` undefined: every device. Elsewhere undefined: this device. */
  readonly device: string | undefined
  /** How long the state has to last; of `all-in-sync` the interval. */
  readonly afterMs: number
  readonly target: UrlTarget | ProgramTarget
  readonly createdMs: number
}

export type NewHook = Omit<Hook, 'id' | 'createdMs' | 'afterMs'> & { readonly afterMs: number | undefined }

const HOOKS_MAX = 50
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
/** Seconds, minutes, hours, days or weeks. */
export const HOOK_UNITS = 'smhdw'
const AFTER_MS_MAX = 366 * 86_400_000
/** No more often than this is anything sent while all is well. */
const INTERVAL_MS_MIN = 60_000
const TEXT_LENGTH_MAX = 4_096
const ARGS_MAX = 64
const SECRET_LENGTH_MIN = 16

/** How long a state has to last where the hook does not say; undefined: the condition has no duration. */
const AFTER_MS: Readonly<Record<HookCondition, number | undefined>> = {
  'folder-in-sync': 10_000,
  'folder-behind': 60 * 60_000,
  conflict: undefined,
  'guard-held': undefined,
  'device-away': 3 * 86_400_000,
  error: 10_000,
  'error-gone': 10_000,
  'disk-low': 10_000,
  'all-in-sync': 5 * 60_000,
}

const WITH_DEVICE: ReadonlySet<HookCondition> = new Set([
  'folder-in-sync',
  'folder-behind',
  'device-away',
  'all-in-sync',
])

/** The hook as it is stored. Throws `bad-request` for one that may not be added to the others. */
export function makeHook(hooks: readonly Hook[], wanted: NewHook, made: Pick<Hook, 'id' | 'createdMs'>): Hook {
  const { name, on, folder, device } = wanted
  if (!NAME.test(name)) throw bad('name must be 1 to 64 letters, digits and . _ @ -, a letter or digit first')
  if (hooks.some((hook) => hook.name === name)) throw bad(`there is a hook ${name} already; remove it first`)
  if (hooks.length >= HOOKS_MAX) throw bad(`there are ${HOOKS_MAX} hooks already; remove some`)
  if (folder !== undefined && on === 'device-away') throw bad('device-away is about devices; leave out the folder')
  if (device !== undefined && !WITH_DEVICE.has(on)) throw bad(`${on} is about this device; leave out the device`)
  checkTarget(wanted.target)
  return { ...wanted, ...made, afterMs: checkedAfter(wanted) }
}

function checkedAfter({ on, afterMs }: Pick<NewHook, 'on' | 'afterMs'>): number {
  const usualMs = AFTER_MS[on]
  if (usualMs === undefined) {
    if (afterMs !== undefined) throw bad(`${on} happens at one moment; leave out after`)
    return 0
  }
  const chosenMs = afterMs ?? usualMs
  if (chosenMs > AFTER_MS_MAX) throw bad('after must be at most 366 days')
  if (on === 'all-in-sync' && chosenMs < INTERVAL_MS_MIN) throw bad('after must be at least 1m: it is an interval')
  return chosenMs
}

function checkTarget(target: Hook['target']): void {
  if (target.kind === 'program') {
    const { program, args } = target
    if (program === '') throw bad('program is empty; name the program to run')
    if (args.length > ARGS_MAX) throw bad(`a program gets at most ${ARGS_MAX} arguments`)
    if ([program, ...args].some((text) => text.includes('\0') || text.length > TEXT_LENGTH_MAX)) {
      throw bad(`a program and its arguments have at most ${TEXT_LENGTH_MAX} characters, and no NUL`)
    }
    return
  }
  checkUrl(target)
  if (target.secret !== undefined && target.secret.length < SECRET_LENGTH_MIN) {
    throw bad(`a secret has at least ${SECRET_LENGTH_MIN} characters`)
  }
  if ((target.secret?.length ?? 0) > TEXT_LENGTH_MAX) throw bad(`a secret has at most ${TEXT_LENGTH_MAX} characters`)
}

function checkUrl({ url, allowPrivate }: UrlTarget): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || url.length > TEXT_LENGTH_MAX) {
    throw bad('url must be an address that begins with https:// or http://')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw bad('url must not contain a user or a password; use a secret, which signs the requests')
  }
  const address = parseIp(parsed.hostname.replace(/^\[|\]$/g, ''))
  if (address !== undefined && !isPublicAddress(address) && !allowPrivate) {
    throw bad(`${parsed.hostname} is a private address; allow private addresses if that is intended`)
  }
}

function bad(message: string): TwinfoldError {
  return new TwinfoldError('bad-request', message)
}

/** The hooks of the file. Throws `config-invalid` for what cannot be read. */
export function parseHooks(value: unknown): readonly Hook[] {
  const list = Object(value)['hooks']
  if (!Array.isArray(list)) throw new TwinfoldError('config-invalid', 'hooks is not a list')
  return list.map((fields: unknown, i) => parseHook(Object(fields), `hooks[${i}]`))
}

function parseHook(fields: Readonly<Record<string, unknown>>, place: string): Hook {
  const { id, name, on, folder, device, afterMs, created } = fields
  const fail = (field: string) => new TwinfoldError('config-invalid', `${place}.${field} is not valid`)
  const condition = HOOK_CONDITIONS.find((each) => each === on)
  const createdMs = typeof created === 'string' ? Date.parse(created) : Number.NaN
  if (typeof id !== 'string' || id === '') throw fail('id')
  if (typeof name !== 'string' || !NAME.test(name)) throw fail('name')
  if (condition === undefined) throw fail('on')
  if (folder !== undefined && typeof folder !== 'string') throw fail('folder')
  if (device !== undefined && typeof device !== 'string') throw fail('device')
  if (typeof afterMs !== 'number' || !(afterMs >= 0)) throw fail('afterMs')
  if (Number.isNaN(createdMs)) throw fail('created')
  const target = parseTarget(Object(fields['target']), (field) => fail(`target.${field}`))
  return { id, name, on: condition, folder, device, afterMs, target, createdMs }
}

function parseTarget(fields: Readonly<Record<string, unknown>>, fail: (field: string) => Error): Hook['target'] {
  const { kind, url, secret, program, args } = fields
  if (kind === 'program') {
    if (typeof program !== 'string' || program === '') throw fail('program')
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) throw fail('args')
    return { kind, program, args }
  }
  if (kind !== 'url') throw fail('kind')
  const format = HOOK_FORMATS.find((each) => each === fields['format'])
  if (typeof url !== 'string' || !URL.canParse(url)) throw fail('url')
  if (format === undefined) throw fail('format')
  if (secret !== undefined && typeof secret !== 'string') throw fail('secret')
  return { kind, url, format, secret, allowPrivate: fields['allowPrivate'] === true }
}

export function hookFields(hooks: readonly Hook[]): unknown {
  return {
    hooks: hooks.map(({ createdMs, ...hook }) => ({ ...hook, created: new Date(createdMs).toISOString() })),
  }
}
