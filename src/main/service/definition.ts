import { dirname } from 'node:path'
import { isMissing, systemCode, TwinfoldError } from '../../core/errors.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'
import type { Disk } from '../../platform/disk.ts'
import type { ProgramEnd, Programs } from '../../platform/programs.ts'
import { isUnedited, readMarker, type Marker } from './marker.ts'
import type { Call, ServicePlan } from './types.ts'

const SIZE_BYTES_MAX = 1_024 * 1_024
const CALL_MS_MAX = 60_000
const READABLE_BY_ALL = 0o644

export interface ServicePorts {
  readonly disk: Disk
  readonly programs: Programs
  readonly signal: AbortSignal
}

/** The file at the path of the definition. */
export type InstalledDefinition =
  | { readonly kind: 'none' }
  | { readonly kind: 'foreign' }
  | {
      readonly kind: 'ours'
      readonly marker: Marker
      readonly content: string
      readonly edited: boolean
    }

export async function findInstalled(ports: ServicePorts, plan: ServicePlan): Promise<InstalledDefinition> {
  if (plan.query !== undefined) return classify(await queried(ports, plan.query), false)
  try {
    return classify(await readText(ports.disk, plan.path), true)
  } catch (error) {
    if (isMissing(error)) return { kind: 'none' }
    // systemd masks a unit with a symlink, and users keep units elsewhere with one.
    if (systemCode(error) === 'ELOOP') return { kind: 'foreign' }
    throw error
  }
}

function classify(content: string | undefined, comparable: boolean): InstalledDefinition {
  if (content === undefined) return { kind: 'none' }
  const marker = readMarker(content)
  if (marker === undefined) return { kind: 'foreign' }
  return { kind: 'ours', marker, content, edited: comparable && !isUnedited(content) }
}

async function queried(ports: ServicePorts, call: Call): Promise<string | undefined> {
  const end = await run(ports, call)
  if (end.kind === 'exited') return end.code === 0 ? end.output : undefined
  throw callFailed(call, end)
}

export async function readText(disk: Pick<Disk, 'open'>, path: string): Promise<string> {
  await using file = await disk.open(path, 'read')
  const { sizeBytes } = await file.stat()
  if (sizeBytes > SIZE_BYTES_MAX) throw new TwinfoldError('refused', `${path} is too large for what it should be`)
  const data = Buffer.alloc(sizeBytes)
  let done = 0
  for (let count = -1; count !== 0 && done < data.length; done += count)
    count = await file.read(data.subarray(done), done)
  return data.toString('utf8', 0, done)
}

export async function writeDefinition(disk: Disk, plan: ServicePlan, content: string): Promise<void> {
  await disk.makeDirectories(dirname(plan.path), 0o755)
  // Windows recognizes UTF-16 by the mark at its beginning.
  const data = Buffer.from(plan.encoding === 'utf16le' ? `\ufeff${content}` : content, plan.encoding)
  await writeFileAtomically(disk, plan.path, data, READABLE_BY_ALL, `.${plan.id}.tmp`)
}

export function run(ports: ServicePorts, call: Call): Promise<ProgramEnd> {
  return ports.programs.run(
    {
      program: call.program,
      args: call.args,
      environment: { LC_ALL: 'C' },
      hidden: [],
      timeLimitMs: CALL_MS_MAX,
    },
    ports.signal,
  )
}

/** One after the other; throws for the first that fails. */
export async function runAll(ports: ServicePorts, calls: readonly Call[]): Promise<void> {
  for (const call of calls) {
    const end = await run(ports, call)
    if (call.optional === true || (end.kind === 'exited' && end.code === 0)) continue
    throw callFailed(call, end)
  }
}

export function callText({ program, args }: Call): string {
  return [program, ...args].map((arg) => (/^[\w@%+=:,./\\-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ')
}

function callFailed(call: Call, end: ProgramEnd): TwinfoldError {
  return new TwinfoldError('refused', `"${callText(call)}" failed: ${endText(end)}${remedyFor(call, end)}`)
}

function endText(end: ProgramEnd): string {
  if (end.kind === 'not-started') return end.reason
  const why = end.kind === 'exited' ? `exit code ${end.code}` : end.reason
  const output = end.output.trim()
  return output === '' ? why : `${why}: ${output}`
}

function remedyFor({ program, args }: Call, end: ProgramEnd): string {
  if (program !== 'systemctl' && program !== 'loginctl') return ''
  if (end.kind === 'not-started') return '; this machine does not seem to run systemd, see --print for the definition'
  if (!/bus|offline|not been booted|chroot/i.test('output' in end ? end.output : '')) return ''
  return args.includes('--user')
    ? '; log in as the user itself (not by su or sudo), or install a system service: --system --user NAME'
    : '; systemd does not run here, see --print for the definition'
}
