/** A private D-Bus with a NetworkManager that has one property: how metered the connection is. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { missingProgram } from './debian.ts'
import { killOnExit } from './kill-on-exit.ts'

const NAME = 'org.freedesktop.NetworkManager'
const TYPE = { call: 1, reply: 2, error: 3 } as const
/** Header fields of the D-Bus specification, with their signatures. */
const FIELD = {
  path: 1,
  interface: 2,
  member: 3,
  error: 4,
  replySerial: 5,
  destination: 6,
  sender: 7,
  body: 8,
} as const
const FIXED_HEADER = 16

/** What is missing for a D-Bus of its own and a program that asks it, or undefined. Throws under CI=true. */
export function missingDbus(): string | undefined {
  return missingProgram('dbus-daemon', 'dbus-daemon') ?? missingProgram('busctl', 'systemd')
}

/** A real `dbus-daemon` that everybody may use and that starts no services. Ends with its scope. */
export class Dbus implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly path: string

  private constructor(child: ChildProcess, path: string) {
    this.#child = child
    this.path = path
  }

  static async start(directory: string): Promise<Dbus> {
    const [path, config] = [join(directory, 'bus'), join(directory, 'bus.conf')]
    const rules = '<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>'
    const policy = `<policy context="default">${rules}</policy>`
    writeFileSync(config, `<busconfig><listen>unix:path=${path}</listen><auth>EXTERNAL</auth>${policy}</busconfig>`)
    const args = ['--nofork', '--nopidfile', '--print-address', `--config-file=${config}`]
    const child = spawn('dbus-daemon', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    killOnExit(child)
    const listening = Promise.withResolvers<unknown>()
    let problems = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problems += text))
    child.stdout.once('data', listening.resolve) // its address
    child.once('exit', (code) => listening.reject(new Error(`dbus-daemon ended with ${code}: ${problems}`)))
    await listening.promise
    return new Dbus(child, path)
  }

  /** What programs find it by in place of the bus of the machine. */
  get address(): string {
    return `unix:path=${this.path}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

/** The service on a bus that is asked for `Metered`; it leaves the bus with its scope. */
export class NetworkManagerStub implements AsyncDisposable {
  readonly #socket: Socket
  readonly #named = Promise.withResolvers<void>()
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #isAuthenticated = false
  #serial = 0
  /** 0 unknown, 1 yes, 2 no, 3 guessed yes, 4 guessed no. */
  metered: number
  asked = 0

  private constructor(socket: Socket, metered: number) {
    this.#socket = socket
    this.metered = metered
  }

  static async start(bus: Dbus, metered: number): Promise<NetworkManagerStub> {
    const socket = connect(bus.path)
    const stub = new NetworkManagerStub(socket, metered)
    socket.on('data', (data) => stub.#onData(data))
    socket.on('error', (error) => stub.#named.reject(error))
    socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString('hex')}\r\n`)
    await stub.#named.promise
    return stub
  }

  #onData(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data])
    if (!this.#isAuthenticated) {
      if (!this.#received.includes('\r\n')) return
      if (!this.#received.toString().startsWith('OK ')) return this.#named.reject(new Error(String(this.#received)))
      this.#isAuthenticated = true
      this.#received = Buffer.alloc(0)
      this.#socket.write('BEGIN\r\n')
      this.#callBus('Hello', new Writer(), '')
      this.#callBus('RequestName', new Writer().text(NAME).number(4), 'su') // 4: it does not wait in a queue for it
    }
    for (let message = this.#nextMessage(); message !== undefined; message = this.#nextMessage()) {
      if (message.type === TYPE.call) this.#answer(message)
      else if (message.type === TYPE.error) this.#named.reject(new Error(JSON.stringify(message)))
      else if (message.replySerial === 2) this.#named.resolve()
    }
  }

  #nextMessage(): Message | undefined {
    const received = this.#received
    if (received.length < FIXED_HEADER) return undefined
    const length = bodyStart(received) + received.readUInt32LE(4)
    if (received.length < length) return undefined
    this.#received = received.subarray(length)
    return readMessage(received.subarray(0, length))
  }

  #answer({ serial, sender, member, body }: Message): void {
    const to = (fields: Writer) => fields.field(FIELD.destination, 's', sender).field(FIELD.replySerial, 'u', serial)
    const [asked, property] = body
    if (member === 'Get' && asked === NAME && property === 'Metered') {
      this.asked++
      const value = new Writer().signature('u').number(this.metered)
      this.#send(TYPE.reply, to(new Writer()).field(FIELD.body, 'g', 'v'), value)
    } else {
      const error = 'org.freedesktop.DBus.Error.UnknownMethod'
      this.#send(TYPE.error, to(new Writer()).field(FIELD.error, 's', error), new Writer())
    }
  }

  #callBus(member: string, body: Writer, signature: string): void {
    const fields = new Writer()
      .field(FIELD.path, 'o', '/org/freedesktop/DBus')
      .field(FIELD.interface, 's', 'org.freedesktop.DBus')
      .field(FIELD.member, 's', member)
      .field(FIELD.destination, 's', 'org.freedesktop.DBus')
    this.#send(TYPE.call, signature === '' ? fields : fields.field(FIELD.body, 'g', signature), body)
  }

  #send(type: number, fields: Writer, body: Writer): void {
    const head = Buffer.from([0x6c, type, 0, 1])
    const start = Buffer.concat([head, number32(body.length), number32(++this.#serial), number32(fields.length)])
    this.#socket.write(Buffer.concat([start, fields.padded(8), body.padded(1)]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.destroyed) return
    this.#socket.destroy()
    await once(this.#socket, 'close')
  }
}

interface Message {
  readonly type: number
  readonly serial: number
  readonly replySerial: number
  readonly sender: string
  readonly member: string
  /** The texts that the body begins with, if it is one of `Get`. */
  readonly body: readonly string[]
}

/** Values as they are marshalled in the byte order of the machines that the tests run on. */
class Writer {
  readonly #bytes: number[] = []

  get length(): number {
    return this.#bytes.length
  }

  number(value: number): this {
    this.#align(4)
    this.#bytes.push(...number32(value)) // four
    return this
  }

  text(value: string): this {
    this.number(Buffer.byteLength(value))
    for (const byte of Buffer.from(`${value}\0`)) this.#bytes.push(byte)
    return this
  }

  signature(value: string): this {
    for (const byte of Buffer.from(`${String.fromCharCode(value.length)}${value}\0`)) this.#bytes.push(byte)
    return this
  }

  /** A field of a header. */
  field(code: number, type: 's' | 'o' | 'g' | 'u', value: string | number): this {
    this.#align(8)
    this.#bytes.push(code)
    this.signature(type)
    if (typeof value === 'number') return this.number(value)
    return type === 'g' ? this.signature(value) : this.text(value)
  }

  padded(to: number): Buffer {
    this.#align(to)
    return Buffer.from(this.#bytes)
  }

  #align(to: number): void {
    while (this.#bytes.length % to !== 0) this.#bytes.push(0)
  }
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function aligned(position: number, to: number): number {
  return Math.ceil(position / to) * to
}

function bodyStart(message: Buffer): number {
  return aligned(FIXED_HEADER + message.readUInt32LE(12), 8)
}

function readMessage(message: Buffer): Message {
  const fields = new Map<number, string | number>()
  const fieldsEnd = FIXED_HEADER + message.readUInt32LE(12)
  for (let at = FIXED_HEADER; at < fieldsEnd;) {
    at = aligned(at, 8)
    const [code = 0, type] = [message[at], String.fromCharCode(message[at + 2]!)]
    if (type === 'g') {
      fields.set(code, '')
      at += 6 + message[at + 4]!
    } else if (type === 'u') {
      fields.set(code, message.readUInt32LE(at + 4))
      at += 8
    } else {
      const [text, end] = readText(message, at + 4)
      fields.set(code, text)
      at = end
    }
  }
  const texts = (code: number) => String(fields.get(code) ?? '')
  const member = texts(FIELD.member)
  return {
    type: message[1]!,
    serial: message.readUInt32LE(8),
    replySerial: Number(fields.get(FIELD.replySerial) ?? 0),
    sender: texts(FIELD.sender),
    member,
    body: member === 'Get' ? readTexts(message, bodyStart(message), 2) : [],
  }
}

function readTexts(message: Buffer, start: number, count: number): readonly string[] {
  const texts: string[] = []
  for (let at = start; texts.length < count;) {
    const [text, end] = readText(message, at)
    texts.push(text)
    at = end
  }
  return texts
}

function readText(message: Buffer, position: number): readonly [text: string, end: number] {
  const start = aligned(position, 4) + 4
  const end = start + message.readUInt32LE(start - 4)
  return [message.toString('utf8', start, end), end + 1]
}
