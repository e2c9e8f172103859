/** Where a daemon serves its page. */
export interface GuiPlace {
  /** As configured: a host, which may be empty or a wildcard, and a port. */
  readonly address: string
  readonly useTLS: boolean
}

/**
 * The address of the page after its settings were changed while it was open; undefined when they were not, or name no
 * place that a browser could go to. The host that worked is kept, unless the daemon now listens on a single other.
 */
export function movedTo(before: GuiPlace, now: GuiPlace, hostname: string): string | undefined {
  if (before.address === now.address && before.useTLS === now.useTLS) return undefined
  const [, host = '', port = ''] = /^(\[[\da-fA-F:.]+\]|[\w.-]*):(\d{1,5})$/.exec(now.address) ?? []
  if (port === '' || Number(port) === 0 || Number(port) > 65_535) return undefined
  const stays = host === '' || host === '0.0.0.0' || host === '[::]'
  try {
    return new URL(`${now.useTLS ? 'https' : 'http'}://${stays ? hostname : host}:${port}/`).href
  } catch {
    return undefined
  }
}
