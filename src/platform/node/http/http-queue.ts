import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** More than fit into one read with the API key in each; read at once, they cannot be refused one by one. */
const WAITING_MAX = 1_024
/** Of all connections: some tens of megabytes. */
const ALL_WAITING_MAX = 16_384
/** Heads of requests that are not complete or not replied to yet, and are counted. */
const ALL_HEAD_BYTES_MAX = 64 * 1024 * 1024
/** Connections whose bytes are not counted, because counting slows them down: each may hold one head. */
const UNCOUNTED_MAX = 64

interface Connection {
  readonly socket: Socket
  waiting: number
  /** Of the head that is not complete yet, and of it and those not replied to yet. */
  headBytes: number
  allHeadBytes: number
  /** The latest request: until it is complete, received bytes are its body. */
  latest: IncomingMessage | undefined
}

/**
 * Bounds the memory of requests that are not handled yet, which any client can send without authentication. While
 * requests of a connection wait behind another one (pipelining), the connection is not read. Over a limit the
 * connection that holds the most is closed, so that other clients are served.
 */
export class RequestQueue {
  readonly #connections = new Map<Socket, Connection>()
  #waiting = 0
  #headBytes = 0

  /** To be called once for each connection, after the HTTP server has set it up. */
  add(socket: Socket): void {
    const connection: Connection = { socket, waiting: 0, headBytes: 0, allHeadBytes: 0, latest: undefined }
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#remove(connection))
    if (this.#connections.size <= UNCOUNTED_MAX) return
    socket.on('data', (piece: Buffer) => {
      if (connection.latest?.complete === false) return
      connection.headBytes += piece.length
      this.#countHeads(connection, piece.length)
      if (this.#headBytes > ALL_HEAD_BYTES_MAX) this.#closeLargest((each) => each.allHeadBytes)
    })
  }

  /** Starts a request when the replies to those before it on its connection have been sent. */
  start(incoming: IncomingMessage, response: ServerResponse, start: () => void): void {
    const connection = this.#connections.get(incoming.socket)
    if (connection === undefined) return // closed meanwhile
    const { headBytes } = connection
    connection.headBytes = 0
    connection.latest = incoming
    if (headBytes > 0) response.once('close', () => this.#countHeads(connection, -headBytes))
    // Without a socket the response waits for those before it.
    if (response.socket !== null) start()
    else this.#enqueue(connection, response, start)
  }

  #enqueue(connection: Connection, response: ServerResponse, start: () => void): void {
    const { socket } = connection
    if (connection.waiting >= WAITING_MAX) return this.#close(connection)
    if (connection.waiting === 0) socket.on('resume', pauseAgain)
    connection.waiting++
    this.#waiting++
    socket.pause()
    response.once('socket', () => {
      if (!this.#connections.has(socket)) return
      connection.waiting--
      this.#waiting--
      if (connection.waiting === 0) socket.off('resume', pauseAgain).resume()
      start()
    })
    if (this.#waiting > ALL_WAITING_MAX) this.#closeLargest((each) => each.waiting)
  }

  #countHeads(connection: Connection, bytes: number): void {
    if (!this.#connections.has(connection.socket)) return
    connection.allHeadBytes += bytes
    this.#headBytes += bytes
  }

  #closeLargest(sizeOf: (connection: Connection) => number): void {
    let largest: Connection | undefined
    for (const each of this.#connections.values()) {
      if (largest === undefined || sizeOf(each) > sizeOf(largest)) largest = each
    }
    if (largest !== undefined) this.#close(largest)
  }

  #close(connection: Connection): void {
    this.#remove(connection) // now, not with the event: requests of the same read follow
    connection.socket.destroy()
  }

  #remove(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return
    this.#waiting -= connection.waiting
    this.#headBytes -= connection.allHeadBytes
  }
}

/** Node resumes a connection after each reply. */
function pauseAgain(this: Socket): void {
  this.pause()
}
