import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { DOCS, NEVER } from '../../support/model.ts'
import { NEW, newMachine, OLD, SimMove, type SimMachine } from './sim-move.ts'

/** As between two disks. */
function onOtherDisk(machine: SimMachine): void {
  machine.platform.disk.fail({ call: 'rename', code: 'EXDEV', under: OLD, times: Number.POSITIVE_INFINITY })
}

async function put({ platform }: SimMachine): Promise<void> {
  const { disk, attributes } = platform
  disk.put(`${OLD}/letter.txt`, 'Dear reader')
  disk.put(`${OLD}/more/notes.txt`, 'Remember', 0o640)
  disk.put(`${OLD}/more/run.sh`, '#!/bin/sh', 0o755)
  disk.put(`${OLD}/large.bin`, Buffer.alloc(2_500_000, 'abc'))
  disk.put(`${OLD}/.stignore`, '*.tmpl\n')
  disk.put(`${OLD}/ignored.tmpl`, 'local only')
  disk.put(`${OLD}/.stversions/letter~20260101-000000.txt`, 'Dear')
  await disk.makeDirectory(`${OLD}/empty`, 0o750)
  await disk.makeSymlink('more/notes.txt', `${OLD}/link`)
  await disk.setModified(`${OLD}/letter.txt`, 1_700_000_000, 123_456_789)
  await attributes.write(`${OLD}/letter.txt`, { set: [{ name: 'user.colour', value: Buffer.from('red') }], remove: [] })
  disk.syncAll()
}

/** A folder that was scanned. */
async function started(folder = {}): Promise<SimMove> {
  const machine = await newMachine(1, folder)
  await put(machine)
  const move = await SimMove.start(machine)
  await move.scan()
  return move
}

/** Everything that a user sees of a place: types, permissions, times, contents. */
function view(move: SimMove, root: string): string {
  const items = [...move.disk.direct.tree(root)].map(([name, { type, mode, modifiedNs, content, target }]) => [
    name,
    type,
    mode,
    type === 'directory' ? '' : `${modifiedNs}`,
    Buffer.from(content).toString('base64'),
    target,
  ])
  return JSON.stringify(items, undefined, 1)
}

for (const method of ['rename', 'copy'] as const)
  describe(`a move by ${method}`, () => {
    test('brings everything along, announces nothing and hashes nothing again', async () => {
      await using move = await started()
      if (method === 'copy') onOtherDisk(move.machine)
      const [before, announced, hashed] = [view(move, OLD), await move.announced(), move.hashedBytes]
      assert.ok(hashed > 2_500_000)
      assert.equal((await move.begin()).state, 'prepared')
      const status = await move.finish()
      assert.deepEqual([status.state, status.method, status.error, status.leftCount], ['done', method, '', 0])
      assert.equal(move.disk.hidden.has(`${NEW}/.stfolder`), method === 'copy', 'a copied marker is hidden again')
      assert.equal(view(move, NEW), before)
      assert.equal(move.disk.direct.look(OLD), undefined)
      assert.equal(move.machine.config.folders[0]?.path, NEW)
      await move.scan()
      assert.equal(move.hashedBytes, hashed)
      assert.equal(await move.announced(), announced)
      const read = await move.machine.platform.attributes.read(NEW, ['letter.txt'], NEVER)
      assert.equal(read.kind === 'read' && read.found.get('letter.txt')?.[0]?.value.toString(), 'red')
      assert.equal((await move.hub.while(move.hub.model.status(DOCS))).state, 'idle')
    })

    test('keeps the target directory that is there, and a paused folder paused', async () => {
      await using move = await started()
      if (method === 'copy') onOtherDisk(move.machine)
      const before = view(move, OLD)
      await move.hub.while(
        move.change((config) => ({ ...config, folders: config.folders.map((each) => ({ ...each, paused: true })) })),
      )
      await move.disk.makeDirectory(NEW, 0o700)
      await move.begin()
      assert.equal((await move.finish()).state, 'done')
      assert.equal(view(move, NEW), before)
      assert.equal((await move.hub.while(move.hub.model.status(DOCS))).state, '')
    })

    test('leads back to the old place when the settings refuse the path', async () => {
      await using move = await started()
      if (method === 'copy') onOtherDisk(move.machine)
      const before = view(move, OLD)
      move.refusal = new TwinfoldError('config-invalid', 'this path is refused')
      await move.begin()
      const status = await move.finish()
      assert.deepEqual([status.state, status.leftCount], ['failed', 0])
      assert.match(status.error, /is refused/)
      assert.equal(view(move, OLD), before)
      assert.equal(move.disk.direct.look(NEW), undefined)
      await move.scan()
      assert.equal(move.hub.deletions(), 0)
    })

    test('waits while the settings cannot be saved', async () => {
      await using move = await started()
      if (method === 'copy') onOtherDisk(move.machine)
      const before = view(move, OLD)
      move.refusal = new Error('the disk is full')
      await move.begin()
      await move.until('verified')
      await move.hub.pass(60_000)
      assert.deepEqual([move.status()?.state, move.status()?.error], ['verified', 'the disk is full'])
      move.refusal = undefined
      assert.equal((await move.finish()).state, 'done')
      assert.equal(view(move, NEW), before)
    })
  })

describe('while a folder is copied', () => {
  /** Runs `edit` once, when something happens to a path. */
  function once(move: SimMove, path: RegExp, edit: () => void): void {
    let isDone = false
    move.disk.subscribe((change) => {
      if (isDone || !path.test(`${change.kind} ${change.path}`)) return
      isDone = true
      edit()
    })
  }

  test('an edit, a new file and a deletion in the old place are found', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const { direct } = move.disk
    // When the last one of them was copied.
    once(move, /changed \/mnt\/docs\/more\/run\.sh$/, () => {
      direct.write(`${OLD}/letter.txt`, Buffer.from('Dear writer, this is longer'))
      direct.write(`${OLD}/new/file.txt`, Buffer.from('new'))
      direct.remove(`${OLD}/large.bin`)
    })
    await move.begin()
    assert.deepEqual([(await move.finish()).state, move.status()?.leftCount], ['done', 0])
    assert.equal(await move.read(`${NEW}/letter.txt`), 'Dear writer, this is longer')
    assert.equal(await move.read(`${NEW}/new/file.txt`), 'new')
    assert.equal(direct.look(`${NEW}/large.bin`), undefined)
    assert.equal(direct.look(OLD), undefined)
    await move.scan()
    assert.equal(move.hub.deletions(), 1)
  })

  test('an edit that keeps size and time is found, and hashed by the next scan', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const { direct } = move.disk
    await move.hub.pass(60_000)
    once(move, /changed \/mnt\/docs\/more$/, () => {
      const { modifiedNs } = direct.look(`${OLD}/large.bin`)!
      direct.write(`${OLD}/large.bin`, Buffer.alloc(2_500_000, 'cba'))
      direct.setModified(`${OLD}/large.bin`, Number(modifiedNs / 1_000_000n))
    })
    const announced = await move.announced()
    await move.begin()
    assert.equal((await move.finish()).state, 'done')
    assert.equal((await move.read(`${NEW}/large.bin`)).slice(0, 3), 'cba')
    await move.scan()
    assert.notEqual(await move.announced(), announced)
  })

  test('a file edited in the old place after the switch stays there and is reported', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const { direct } = move.disk
    once(move, /changed \/home\/me\/config\.txt$/, () => {
      direct.write(`${OLD}/letter.txt`, Buffer.from('written too late'))
      direct.write(`${OLD}/more/late.txt`, Buffer.from('made too late'))
    })
    await move.begin()
    const status = await move.finish()
    assert.deepEqual(
      [status.state, status.leftCount, [...status.left].sort()],
      ['done', 2, ['letter.txt', 'more/late.txt']],
    )
    assert.equal(await move.read(`${OLD}/letter.txt`), 'written too late')
    assert.equal(await move.read(`${NEW}/letter.txt`), 'Dear reader')
    assert.deepEqual([...direct.tree(OLD).keys()], ['letter.txt', 'more', 'more/late.txt'])
  })

  test('pipes and names that are no UTF-8 stay in the old place and are reported', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    move.disk.putOther(`${OLD}/pipe`)
    move.disk.putInvalidName(OLD, 'bad\\xff')
    await move.begin()
    const status = await move.finish()
    assert.deepEqual([status.state, [...status.left].sort()], ['done', ['bad\\xff', 'pipe']])
  })

  test('it does not run, and others see it as paused', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const seen: unknown[] = []
    once(move, /changed \/mnt\/docs\/letter\.txt$/, () => {
      seen.push(move.hub.roots.get(DOCS), move.hub.model.statusNow(DOCS)?.state)
    })
    await move.begin()
    assert.equal((await move.finish()).state, 'done')
    assert.deepEqual(seen, [undefined, 'scan-waiting'])
    assert.equal(move.hub.roots.get(DOCS), NEW)
  })

  test('cancelled, it stays where it was, and the copy is removed', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const before = view(move, OLD)
    once(move, /changed \/mnt\/docs\/large\.bin$/, () => move.mover.cancel(DOCS).catch(assert.fail))
    await move.begin()
    const status = await move.finish()
    assert.deepEqual([status.state, status.error, status.leftCount], ['cancelled', '', 0])
    assert.equal(view(move, OLD), before)
    assert.equal(move.disk.direct.look(NEW), undefined)
    await move.scan()
    assert.equal(move.hub.deletions(), 0)
    // And again, to the end.
    await move.begin()
    assert.equal((await move.finish()).state, 'done')
    assert.equal(view(move, NEW), before)
  })

  test('removed from the settings, its files stay and the copy goes', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    let removed: Promise<unknown> = Promise.resolve()
    once(move, /changed \/mnt\/docs\/large\.bin$/, () => {
      removed = move.change((config) => ({ ...config, folders: [] }))
    })
    await move.begin()
    for (let turn = 0; turn < 200; turn++) await move.hub.pass(1_000)
    await removed
    assert.equal(await move.read(`${OLD}/letter.txt`), 'Dear reader')
    assert.equal(move.disk.direct.look(`${NEW}/letter.txt`), undefined)
    assert.throws(() => move.status(), { code: 'folder-missing' })
  })

  test('a full disk undoes it', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const before = view(move, OLD)
    move.disk.fail({ call: 'write', code: 'ENOSPC', under: NEW, nth: 3 })
    await move.begin()
    const status = await move.finish()
    assert.deepEqual([status.state, status.leftCount], ['failed', 0])
    assert.match(status.error, /no space left/)
    assert.equal(view(move, OLD), before)
    assert.equal(move.disk.direct.look(NEW), undefined)
  })

  test('a copy that is read back with other bytes never gets its name', async () => {
    await using move = await started()
    onOtherDisk(move.machine)
    const before = view(move, OLD)
    const id = createHash('sha256').update('ignored.tmpl').digest('hex').slice(0, 16)
    move.disk.rot({ under: `${NEW}/.syncthing.move-${id}.tmp` })
    await move.begin()
    assert.equal((await move.finish()).state, 'done')
    assert.equal(move.disk.faults.corruptReads, 1)
    assert.equal(view(move, NEW), before)
  })
})

test('a folder is moved by one move at a time, and back', async () => {
  await using move = await started()
  onOtherDisk(move.machine)
  const before = view(move, OLD)
  const [first, second] = await move.hub.while(
    Promise.allSettled([move.mover.start(DOCS, NEW, NEVER), move.mover.start(DOCS, '/mnt/other', NEVER)]),
  )
  assert.deepEqual([first.status, second.status], ['fulfilled', 'rejected'])
  await move.finish()
  move.disk.faults.clear()
  await move.begin(OLD)
  assert.equal((await move.finish()).state, 'done')
  assert.equal(view(move, OLD), before)
})

test('a preview changes nothing and names the problem', async () => {
  await using move = await started()
  const preview = (path: string) => move.hub.while(move.mover.preview(DOCS, path, NEVER))
  const { method, files, bytes, problem, to } = await preview('~/moved')
  assert.deepEqual([method, files, problem, to], ['rename', 4, undefined, '/home/me/moved'])
  assert.ok(bytes > 2_500_000)
  move.disk.put('/mnt/used/file', 'x')
  for (const [path, code] of [
    ['moved', 'relative'],
    [OLD, 'same'],
    [`${OLD}/more/in`, 'inside'],
    ['/data', 'around'],
    ['/mnt/used', 'used'],
    ['/mnt/used/file', 'no-directory'],
    ['/nowhere/docs', 'no-parent'],
    ['/home/me/index/docs', 'home'],
    ['/home/me', 'home'],
  ] as const) {
    assert.equal((await preview(path)).problem?.code, code, path)
    await assert.rejects(move.hub.while(move.mover.start(DOCS, path, NEVER)), { code: 'refused' }, path)
  }
  assert.equal(move.status(), undefined)
  assert.equal(move.disk.direct.look('/home/me/moved'), undefined)
})

test('a folder whose marker is missing is not moved', async () => {
  await using move = await started()
  await move.disk.rename(`${OLD}/.stfolder`, `${OLD}/away`)
  const { problem } = await move.hub.while(move.mover.preview(DOCS, NEW, NEVER))
  assert.equal(problem?.code, 'stopped')
})

test('a move by copy leaves the clones of local files behind, and removes them', async () => {
  await using move = await started()
  onOtherDisk(move.machine)
  move.disk.put(`${OLD}/.stfolder/twinfold-clones/ab/cd`, 'a clone')
  await move.begin()
  const status = await move.finish()
  assert.deepEqual([status.state, status.leftCount], ['done', 0])
  assert.equal(move.disk.direct.look(`${NEW}/.stfolder/twinfold-clones`), undefined)
  assert.equal(move.disk.direct.look(OLD), undefined)
})
