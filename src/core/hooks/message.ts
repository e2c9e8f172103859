import { createHmac } from 'node:crypto'
import type { Hook, HookCondition, UrlTarget } from './hook.ts'
import type { Delivery } from './occurrence.ts'

/** A request to a webhook. */
export interface HookRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

type Sent = Omit<Delivery, 'attempts' | 'nextMs'>

/** Good news; the others report something that needs a person. */
const GOOD: ReadonlySet<HookCondition> = new Set(['folder-in-sync', 'error-gone', 'all-in-sync'])

/** The longest text that ntfy and Healthchecks show as a whole. */
const TEXT_LENGTH_MAX = 4_000
const SECRET_PREFIX = 'whsec_'

/** `nowMs` is the time of this attempt, which is signed with the body. */
export function hookRequest(hook: Hook, target: UrlTarget, sent: Sent, nowMs: number): HookRequest {
  const request = requestOf(hook, target, sent)
  const signed = { 'Webhook-Id': sent.id, 'Webhook-Timestamp': String(Math.floor(nowMs / 1_000)) }
  const signature =
    target.secret === undefined ? {} : { 'Webhook-Signature': sign(target.secret, signed, request.body) }
  return { ...request, headers: { ...request.headers, ...signed, ...signature, 'User-Agent': 'Twinfold' } }
}

function requestOf(hook: Hook, { url, format }: UrlTarget, sent: Sent): HookRequest {
  if (hook.on === 'all-in-sync') return { method: 'GET', url, headers: {}, body: undefined }
  const text = sent.text.slice(0, TEXT_LENGTH_MAX)
  switch (format) {
    case 'json':
      return {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json' },
        body: `${JSON.stringify(hookBody(hook, sent))}\n`,
      }
    case 'ntfy':
      return { method: 'POST', url, headers: ntfyHeaders(hook), body: text }
    case 'healthchecks':
      return {
        method: 'POST',
        url: GOOD.has(hook.on) ? url : failureUrl(url),
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        body: text,
      }
  }
}

/** The body of the format `json`, which programs parse. */
function hookBody({ name, on }: Hook, { id, timeMs, folder, device, text, details }: Sent): unknown {
  const time = new Date(timeMs).toISOString()
  return { id, hook: name, on, time, folder: folder ?? null, device: device ?? null, text, details }
}

function ntfyHeaders({ name, on }: Hook): Readonly<Record<string, string>> {
  const isGood = GOOD.has(on)
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    Title: `Twinfold: ${name}`,
    Priority: isGood ? 'low' : 'high',
    Tags: isGood ? 'white_check_mark' : 'warning',
  }
}

/** Healthchecks takes a failure below the address of the check. */
function failureUrl(text: string): string {
  const url = new URL(text)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/fail`
  return url.href
}

/** As the specification Standard Webhooks has it: the id, the time and the body, by HMAC-SHA256. */
function sign(
  secret: string,
  headers: { readonly 'Webhook-Id': string; readonly 'Webhook-Timestamp': string },
  body = '',
): string {
  const content = `${headers['Webhook-Id']}.${headers['Webhook-Timestamp']}.${body}`
  return `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`
}

function keyOf(secret: string): Uint8Array {
  return secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret)
}

/** What a program gets in its environment. */
export function hookEnvironment({ name, on }: Hook, sent: Sent): Readonly<Record<string, string>> {
  const values = {
    TWINFOLD_HOOK: name,
    TWINFOLD_HOOK_ID: sent.id,
    TWINFOLD_HOOK_ON: on,
    TWINFOLD_HOOK_TIME: new Date(sent.timeMs).toISOString(),
    TWINFOLD_HOOK_TEXT: sent.text.slice(0, TEXT_LENGTH_MAX),
    TWINFOLD_HOOK_DETAILS: JSON.stringify(sent.details),
    TWINFOLD_FOLDER: sent.folder?.id ?? '',
    TWINFOLD_FOLDER_LABEL: sent.folder?.label ?? '',
    TWINFOLD_DEVICE: sent.device?.id ?? '',
    TWINFOLD_DEVICE_NAME: sent.device?.name ?? '',
  }
  // A value cannot contain a NUL, and texts are from other devices.
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value.replaceAll('\0', '')]))
}
