import { createHash } from 'node:crypto'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { type FileInfo } from '../../../src/core/records/file-info.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { RequestServer } from '../../../src/model/peers/request-server.ts'
import type { BlockReply, BlockRequest } from '../../../src/protocol/types.ts'
import { NodeBlockReader } from '../../../src/platform/node/block-reader.ts'
import { nodeRandom } from '../../../src/platform/node/random.ts'
import { DiskThreads } from '../../../src/platform/node/threads/disk-threads.ts'
import { file, openTestStore } from '../../db/records.ts'
import { SERVER } from '../../support/config.ts'
import { quietLogger } from '../../support/logger.ts'
import { DOCS } from '../../support/model.ts'
import { scratchDirectory } from '../../support/scratch.ts'

export const NEVER = new AbortController().signal
export const BLOCK = 131_072
export const SECRET = Buffer.from('the canary outside of the folder')

export function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** A folder on a real disk with a secret beside it. */
export class ServedDirectory implements AsyncDisposable {
  readonly #scratch = scratchDirectory()
  readonly root = join(this.#scratch.path, 'folder')
  readonly outside = join(this.#scratch.path, 'outside')
  readonly rechecked: string[] = []
  readonly #threads = new DiskThreads({ threads: 1 })
  readonly server: RequestServer
  readonly #store: Awaited<ReturnType<typeof openTestStore>>
  readonly index: FolderIndex
  running = true
  /** Set: the device gets encrypted blocks only. */
  cipher: FolderCipher | undefined

  private constructor(store: ServedDirectory['store'], index: FolderIndex) {
    this.#store = store
    this.index = index
    for (const path of [this.root, this.outside]) mkdirSync(path)
    writeFileSync(join(this.outside, 'secret'), SECRET)
    this.server = new RequestServer({
      random: nodeRandom,
      blocks: new NodeBlockReader(this.#threads),
      log: quietLogger('model'),
      platform: process.platform,
      served: async (device, folder) =>
        device === SERVER && folder === DOCS && this.running
          ? { id: DOCS, root: this.root, index, cipher: this.cipher, isEncrypted: false }
          : undefined,
      changed: (_folder, record, wholly) => void this.rechecked.push(`${record.name} ${wholly ? 'wholly' : ''}`.trim()),
    })
  }

  get store(): Awaited<ReturnType<typeof openTestStore>> {
    return this.#store
  }

  static async make(): Promise<ServedDirectory> {
    const store = await openTestStore(undefined)
    return new ServedDirectory(store, await store.folder(DOCS))
  }

  /** Written to disk and to the index. */
  async put(name: string, content: Uint8Array, more: Partial<FileInfo> = {}): Promise<void> {
    const path = join(this.root, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, 1_700_000_000, 1_700_000_000)
    const hashes: Buffer[] = []
    for (let at = 0; at === 0 || at < content.length; at += BLOCK) hashes.push(sha256(content.subarray(at, at + BLOCK)))
    await this.index.records.updateLocal([
      file(name, {
        sizeBytes: content.length,
        blockHashes: Buffer.concat(hashes),
        blockSizeBytes: BLOCK,
        modifiedS: 1_700_000_000,
        modifiedNs: 0,
        ...more,
      }),
    ])
  }

  async request(name: string, content: Uint8Array, more: Partial<BlockRequest> = {}): Promise<string> {
    return textOf(await this.server.serve(SERVER, requestFor(name, content, more), NEVER))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]()
    await this.#store[Symbol.asyncDispose]()
    this.#scratch[Symbol.dispose]()
  }
}

export function requestFor(name: string, content: Uint8Array, more: Partial<BlockRequest> = {}): BlockRequest {
  return {
    folder: DOCS,
    name,
    offsetBytes: 0,
    sizeBytes: content.length,
    hash: sha256(content),
    fromTemporary: false,
    blockNumber: 0,
    ...more,
  }
}

function textOf(reply: BlockReply): string {
  return reply.kind === 'data' ? `data ${Buffer.from(reply.data).toString()}` : reply.code
}
