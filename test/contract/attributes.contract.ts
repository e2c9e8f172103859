import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder, type AttributeList } from '../../src/core/attributes/attributes.ts'
import type { AttributeFailure, Attributes } from '../../src/platform/attributes.ts'
import type { Disk } from '../../src/platform/disk.ts'

const GONE: AttributeFailure = { code: 'gone', text: 'No such file or directory' }

interface Setting extends AsyncDisposable {
  readonly attributes: Attributes
  readonly disk: Disk
  readonly root: string
}

const { signal } = new AbortController()

function list(attributes: Readonly<Record<string, string>>): AttributeList {
  return inOrder(Object.entries(attributes).map(([name, value]) => ({ name, value: Buffer.from(value, 'latin1') })))
}

async function put({ disk, root }: Setting, name: string): Promise<void> {
  await (await disk.open(`${root}/${name}`, 'create', 0o600)).close()
}

async function shown(
  { attributes, root }: Setting,
  ...names: string[]
): Promise<{ found: [string, [string, string][]][]; failed: [string, AttributeFailure][] }> {
  const seen = await attributes.read(root, names, signal)
  assert.ok(seen.kind === 'read')
  const found = [...seen.found].map(([name, each]): [string, [string, string][]] => [
    name,
    each.map((attribute) => [attribute.name, Buffer.from(attribute.value).toString('latin1')]),
  ])
  return { found: found.sort(), failed: [...seen.failed].sort() }
}

/** What every port to attributes promises. */
export function attributesContract(name: string, skip: string | undefined, start: () => Promise<Setting>): void {
  test(`${name}: set attributes are read back, for any name`, { skip }, async () => {
    await using setting = await start()
    const { attributes, disk, root } = setting
    const names = ['plain', '-n', ' a\nb\\\t"\'$x`=#ü😀', '# file: x', '--', '-']
    const values = list({ 'user.empty': '', 'user.zero': '\0\xff\n', 'user.we=ird\n\\ #ü': 'x', 'user.-v': '0x00' })
    await disk.makeDirectory(`${root}/d`, 0o700)
    for (const each of names) await put(setting, `d/${each}`)
    await put(setting, 'without')
    for (const each of ['d', ...names.map((item) => `d/${item}`)]) {
      assert.deepEqual(
        await attributes.write(`${root}/${each}`, { set: values, remove: [] }),
        { kind: 'written' },
        each,
      )
    }
    const all = ['d', 'without', ...names.map((item) => `d/${item}`)]
    const { found, failed } = await shown(setting, ...all)
    assert.deepEqual(failed, [])
    assert.deepEqual(
      found.map(([item]) => item),
      all.filter((item) => item !== 'without').sort(),
    )
    const wanted = values.map((each) => [each.name, Buffer.from(each.value).toString('latin1')])
    for (const [item, each] of found) assert.deepEqual(each, wanted, item)
  })

  test(`${name}: attributes are replaced and removed, also missing ones`, { skip }, async () => {
    await using setting = await start()
    const { attributes, root } = setting
    await put(setting, 'f')
    await attributes.write(`${root}/f`, { set: list({ 'user.a': '1', 'user.b': '2', 'user.-c': '3' }), remove: [] })
    const outcome = await attributes.write(`${root}/f`, {
      set: list({ 'user.a': 'new' }),
      remove: ['user.b', 'user.-c', 'user.none'],
    })
    assert.deepEqual(outcome, { kind: 'written' })
    assert.deepEqual(await shown(setting, 'f'), { found: [['f', [['user.a', 'new']]]], failed: [] })
  })

  test(`${name}: a missing item differs from one without attributes, and nothing is created`, { skip }, async () => {
    await using setting = await start()
    const { attributes, root } = setting
    for (let i = 0; i < 9; i++) await put(setting, `f${i}`)
    await attributes.write(`${root}/f3`, { set: list({ 'user.a': '1' }), remove: [] })
    const seen = await shown(setting, ...Array.from({ length: 9 }, (_, i) => `f${i}`), 'gone', 'gone/below')
    assert.deepEqual(seen, {
      found: [['f3', [['user.a', '1']]]],
      failed: [
        ['gone', GONE],
        ['gone/below', GONE],
      ],
    })
    assert.deepEqual(await attributes.write(`${root}/gone`, { set: list({ 'user.a': '1' }), remove: [] }), {
      kind: 'failed',
      attribute: 'user.a',
      failure: GONE,
    })
    assert.deepEqual(await shown(setting), { found: [], failed: [] })
  })

  test(`${name}: an abort rejects`, { skip }, async () => {
    await using setting = await start()
    await put(setting, 'f')
    await assert.rejects(setting.attributes.read(setting.root, ['f'], AbortSignal.abort(new Error('stop'))), /stop/)
  })
}
