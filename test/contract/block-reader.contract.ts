import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { openBytes } from '../../src/core/encryption/xchacha.ts'
import type { BlockResult, BlockOrder, BlockReader } from '../../src/platform/files/block-reader.ts'
import type { Disk } from '../../src/platform/disk.ts'

export interface BlockReaderPorts extends AsyncDisposable {
  readonly blocks: BlockReader
  readonly disk: Disk
  /** The folder. */
  readonly root: string
  put(path: string, content: Uint8Array): Promise<void>
  putPipe(path: string): Promise<void>
}

const KIB = 1_024

/** What every BlockReader owes its callers. */
export function blockReaderContract(name: string, make: () => Promise<BlockReaderPorts>): void {
  const spec = (text: string, check: (platform: BlockReaderPorts) => Promise<void>): void => {
    test(`${name}: ${text}`, async () => {
      await using platform = await make()
      await check(platform)
    })
  }

  spec('bytes with the requested hash are returned, at any offset, up to the end of the file', async (platform) => {
    const content = noise(300 * KIB, 1)
    await platform.put('dir/file', content)
    await platform.put('empty', new Uint8Array(0))
    for (const [offset, size] of [
      [0, 128 * KIB],
      [128 * KIB, 128 * KIB],
      [256 * KIB, 44 * KIB],
      [1, 5],
      [299 * KIB, 100 * KIB],
    ] as const) {
      const wanted = content.subarray(offset, offset + size)
      const answer = await platform.blocks.read(
        orderFor(platform, 'dir/file', wanted, { offsetBytes: offset, sizeBytes: size }),
      )
      assert.deepEqual(bytesOf(answer), Buffer.from(wanted))
    }
    assert.deepEqual(
      bytesOf(await platform.blocks.read(orderFor(platform, 'empty', new Uint8Array(0)))),
      Buffer.alloc(0),
    )
  })

  spec('different bytes are not returned, but the metadata of the file is', async (platform) => {
    await platform.put('file', Buffer.from('what is there'))
    const { sizeBytes, modifiedS, modifiedNs } = await platform.disk.lstat(`${platform.root}/file`)
    const expected = { kind: 'different', sizeBytes, modifiedS, modifiedNs }
    assert.deepEqual(await platform.blocks.read(orderFor(platform, 'file', Buffer.from('what was there'))), expected)
    const beyond = orderFor(platform, 'file', Buffer.from('x'), { offsetBytes: 1_000 })
    assert.deepEqual(await platform.blocks.read(beyond), expected)
  })

  spec(
    'a file that looks as recorded is not hashed, any other is, and so is less than was asked for',
    async (platform) => {
      await platform.put('file', Buffer.from('what is there'))
      const { sizeBytes, modifiedS, modifiedNs } = await platform.disk.lstat(`${platform.root}/file`)
      const recorded = { sizeBytes, modifiedS, modifiedNs }
      const ask = (more: Partial<BlockOrder>) =>
        platform.blocks.read(orderFor(platform, 'file', Buffer.from('what was here'), more))
      assert.deepEqual(bytesOf(await ask({ recorded, sizeBytes: 13 })), Buffer.from('what is there'))
      const others = [{ sizeBytes: 12 }, { modifiedS: modifiedS + 1 }, { modifiedNs: modifiedNs + 1 }]
      for (const other of others)
        assert.equal((await ask({ recorded: { ...recorded, ...other } })).kind, 'different', JSON.stringify(other))
      assert.equal((await ask({ recorded, sizeBytes: 14 })).kind, 'different', 'too short')
      assert.equal((await ask({})).kind, 'different')
    },
  )

  spec(
    'sealed blocks are those bytes and their padding, beside plain ones; other bytes are not sealed',
    async (platform) => {
      const key = noise(32, 7)
      const read = async (at: number, sizeBytes: number, isSealed: boolean) => {
        const content = noise(sizeBytes, at + 10)
        await platform.put(`file-${at}`, content)
        const seal = { key, nonce: noise(24, at + 50), padding: noise(Math.max(0, KIB - sizeBytes), at + 90) }
        const order = orderFor(platform, `file-${at}`, content, isSealed ? { seal } : {})
        return { content, seal, isSealed, order }
      }
      const sizes = [3, 4 * KIB, 300 * KIB, KIB, 0, 70 * KIB, 12]
      const wanted = await Promise.all(sizes.map((sizeBytes, at) => read(at, sizeBytes, at % 3 !== 1)))
      const results = await Promise.all(wanted.map(({ order }) => platform.blocks.read(order)))
      for (const [at, { content, seal, isSealed }] of wanted.entries()) {
        const bytes = bytesOf(results[at]!)
        const plain = isSealed ? openBytes(key, bytes) : bytes
        assert.deepEqual(
          plain,
          Buffer.concat([content, ...(isSealed ? [seal.padding] : [])]),
          `${content.length} bytes`,
        )
        if (isSealed) assert.deepEqual(bytes.subarray(0, 24), Buffer.from(seal.nonce))
      }
      const other = orderFor(platform, 'file-0', noise(3, 99), { seal: wanted[0]!.seal })
      assert.equal((await platform.blocks.read(other)).kind, 'different')
    },
  )

  spec('anything but a regular file inside the folder is absent', async (platform) => {
    const secret = Buffer.from('outside')
    await platform.put('dir/secret', secret)
    await platform.put('elsewhere/secret', secret)
    await platform.putPipe(`${platform.root}/pipe`)
    await platform.disk.makeSymlink(`${platform.root}/dir/secret`, `${platform.root}/link`)
    await platform.disk.makeSymlink(`${platform.root}/elsewhere`, `${platform.root}/way`)
    for (const path of ['nothing', 'dir', 'dir/secret/below', 'pipe', 'link', 'way/secret', 'n\0ul', 'x'.repeat(300)]) {
      assert.deepEqual(await platform.blocks.read(orderFor(platform, path, secret)), { kind: 'absent' }, path)
    }
    const inside = { ...orderFor(platform, 'secret', secret), root: `${platform.root}/dir` }
    assert.equal((await platform.blocks.read(inside)).kind, 'read')
  })

  spec('a folder whose root is a link is read, also after the link has changed', async (platform) => {
    await platform.put('one/file', Buffer.from('one'))
    await platform.put('two/file', Buffer.from('two'))
    const root = `${platform.root}/link`
    for (const target of ['one', 'two']) {
      await platform.disk.makeSymlink(`${platform.root}/${target}`, root)
      assert.equal(
        (await platform.blocks.read({ ...orderFor(platform, 'file', Buffer.from(target)), root })).kind,
        'read',
        target,
      )
      await platform.disk.removeFile(root)
    }
  })

  spec('concurrent reads return their own results', async (platform) => {
    const count = 300
    for (let i = 0; i < count; i++) await platform.put(`f${i}`, noise(1 + i * 20, i))
    await platform.put('large', noise(700 * KIB, 99))
    await platform.disk.removeFile(`${platform.root}/f100`)
    const large = noise(700 * KIB, 99)
    const [answers, whole] = await Promise.all([
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          platform.blocks.read(orderFor(platform, `f${i}`, noise(1 + i * 20, i === 200 ? 7 : i))),
        ),
      ),
      platform.blocks.read(orderFor(platform, 'large', large)),
    ])
    answers.forEach((answer, i) => {
      if (i === 100) assert.equal(answer.kind, 'absent')
      else if (i === 200) assert.equal(answer.kind, 'different')
      else assert.deepEqual(bytesOf(answer), noise(1 + i * 20, i))
    })
    assert.deepEqual(bytesOf(whole), large)
  })

  spec('released memory is reused, other memory is not overwritten', async (platform) => {
    for (let i = 0; i < 40; i++) await platform.put(`f${i}`, noise(9_000, i))
    const kept: { readonly answer: BlockResult; readonly i: number }[] = []
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => platform.blocks.read(orderFor(platform, `f${i}`, noise(9_000, i)))),
      )
      answers.forEach((answer, i) => {
        assert.deepEqual(bytesOf(answer), noise(9_000, i))
        if (answer.kind === 'read' && (i + round) % 5 > 0) {
          answer.releaseBuffer()
          answer.releaseBuffer() // counts once
        } else kept.push({ answer, i })
      })
    }
    for (const { answer, i } of kept) assert.deepEqual(bytesOf(answer), noise(9_000, i))
  })
}

function orderFor(
  { root }: BlockReaderPorts,
  name: string,
  wanted: Uint8Array,
  more: Partial<BlockOrder> = {},
): BlockOrder {
  return {
    root,
    name,
    offsetBytes: 0,
    sizeBytes: wanted.length,
    hash: createHash('sha256').update(wanted).digest(),
    ...more,
  }
}

function bytesOf(answer: BlockResult): Buffer {
  assert.equal(answer.kind, 'read')
  return answer.kind === 'read' ? Buffer.from(answer.data) : Buffer.alloc(0)
}

function noise(count: number, seed: number): Buffer {
  const data = Buffer.alloc(count)
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    data[at] = state >>> 24
  }
  return data
}
