/** A small client of WebDriver BiDi: commands with their replies, and the errors that pages log. */

interface Reply {
  readonly id?: number
  readonly type?: string
  readonly method?: string
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: string
  readonly message?: string
  readonly params?: LogEntry
}

interface LogEntry {
  readonly level?: string
  readonly text?: string | null
  readonly source?: { readonly context?: string }
}

interface Waiting {
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void
  readonly reject: (error: Error) => void
}

export class BidiConnection {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, Waiting>()
  readonly #errorListeners = new Map<string, (text: string) => void>()
  #nextId = 1

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Reply))
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser closed the connection'))
      this.#waiting.clear()
    })
  }

  static async open(url: string): Promise<BidiConnection> {
    const socket = new WebSocket(url)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true })
      socket.addEventListener('error', () => reject(new Error(`no connection to ${url}`)), { once: true })
    })
    return new BidiConnection(socket)
  }

  /** Sends a command; resolves to its result. */
  async send(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    this.#waiting.set(id, { resolve, reject })
    this.#socket.send(JSON.stringify({ id, method, params }))
    return promise
  }

  /** Calls the listener for each error that a page logs, until the returned function is called. */
  onError(context: string, listener: (text: string) => void): () => void {
    this.#errorListeners.set(context, listener)
    return () => this.#errorListeners.delete(context)
  }

  close(): void {
    this.#socket.close()
  }

  #receive({ id, type, method, result, error, message, params }: Reply): void {
    if (method === 'log.entryAdded' && params?.level === 'error') {
      this.#errorListeners.get(params.source?.context ?? '')?.(params.text ?? '')
      return
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || waiting === undefined) return
    this.#waiting.delete(id)
    if (type === 'error') waiting.reject(new Error(`${error}: ${message}`))
    else waiting.resolve(result ?? {})
  }
}
