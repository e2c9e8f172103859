import { messageOf } from '../core/errors.ts'
import type { Hook, ProgramTarget, UrlTarget } from '../core/hooks/hook.ts'
import { hookEnvironment, hookRequest } from '../core/hooks/message.ts'
import type { Delivery } from '../core/hooks/occurrence.ts'
import type { DeliveryResult } from '../core/hooks/queue.ts'
import { parseIp } from '../core/network/ip.ts'
import { isPublicAddress } from '../core/network/public-address.ts'
import { PRIVATE_VARIABLES, type ProgramEnd } from '../platform/programs.ts'
import type { HooksDeps } from './types.ts'

const RESPONSE_BYTES_MAX = 64 * 1_024
const RESPONSE_TIME_LIMIT_MS = 30_000
/** A backup or an import may be started by a hook. */
const PROGRAM_TIME_LIMIT_MS = 10 * 60_000

/** Delivers once. Never rejects, except when it is stopped: then the delivery has to be repeated. */
export async function deliver(
  deps: Pick<HooksDeps, 'clock' | 'http' | 'programs'>,
  hook: Hook,
  delivery: Omit<Delivery, 'attempts' | 'nextMs'> & { readonly pathsFile: string | undefined },
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { target } = hook
  const result =
    target.kind === 'url' ? send(deps, hook, target, delivery, signal) : run(deps, hook, target, delivery, signal)
  const { ok, detail } = await result
  signal.throwIfAborted()
  return { ok, detail }
}

async function send(
  { clock, http }: Pick<HooksDeps, 'clock' | 'http'>,
  hook: Hook,
  target: UrlTarget,
  delivery: Omit<Delivery, 'attempts' | 'nextMs'>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { method, url, headers, body } = hookRequest(hook, target, delivery, clock.nowMs())
  try {
    const { status } = await http.send(
      {
        method,
        url,
        headers,
        ...(body !== undefined && { body }),
        responseBytesMax: RESPONSE_BYTES_MAX,
        timeoutMs: RESPONSE_TIME_LIMIT_MS,
        ...(!target.allowPrivate && { isAddressAllowed }),
      },
      signal,
    )
    const isRedirect = status >= 300 && status < 400
    const more = isRedirect ? ': redirects are not followed; use the address of the server itself' : ''
    return { ok: status >= 200 && status < 300, detail: `HTTP ${status}${more}` }
  } catch (error) {
    return { ok: false, detail: messageOf(error) }
  }
}

function isAddressAllowed(text: string): boolean {
  const address = parseIp(text)
  return address !== undefined && isPublicAddress(address)
}

async function run(
  { programs }: Pick<HooksDeps, 'programs'>,
  hook: Hook,
  { program, args }: ProgramTarget,
  delivery: Parameters<typeof deliver>[2],
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { pathsFile, isPathsComplete } = delivery
  const paths =
    pathsFile === undefined ? {} : { TWINFOLD_PATHS_FILE: pathsFile, TWINFOLD_PATHS_COMPLETE: String(isPathsComplete) }
  const end = await programs.run(
    {
      program,
      args,
      environment: { ...hookEnvironment(hook, delivery), ...paths },
      hidden: PRIVATE_VARIABLES,
      timeLimitMs: PROGRAM_TIME_LIMIT_MS,
    },
    signal,
  )
  return { ok: end.kind === 'exited' && end.code === 0, detail: endText(end) }
}

function endText(end: ProgramEnd): string {
  if (end.kind === 'not-started') return `the program could not be started: ${end.reason}`
  const output = end.output.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  const quoted = output === '' ? '' : `: ${output}`
  return end.kind === 'exited' ? `exit code ${end.code}${quoted}` : `terminated, ${end.reason}${quoted}`
}
