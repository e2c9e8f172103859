/** What a scan meets on disks of macOS, on a simulated disk that takes both cases and Unicode forms for one name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTemplate } from '../../gui/view-model/ignore-templates.ts'
import { isCaseInsensitive } from '../../src/scanner/presence.ts'
import { SimFolder } from './sim-folder.ts'

const DECOMPOSED = 'cafe\u0301/cre\u0300me'
const COMPOSED = 'caf\u00e9/cr\u00e8me'

async function names(folder: SimFolder, directory: string): Promise<readonly string[]> {
  return (await folder.disk.list(directory)).map(({ name }) => name)
}

test('macOS: a decomposed name gets its composed form once, although the disk finds both', async () => {
  const folder = new SimFolder({ caseInsensitive: true })
  folder.put(DECOMPOSED, 'vanilla')
  assert.deepEqual((await folder.scan()).problems, [])
  assert.deepEqual(folder.index.live, ['caf\u00e9', COMPOSED])
  assert.deepEqual(await names(folder, '/f/caf\u00e9'), ['cr\u00e8me'])
  const renames: string[] = []
  const renameNew = folder.disk.renameNew.bind(folder.disk)
  folder.disk.renameNew = async (from, to) => {
    renames.push(to)
    await renameNew(from, to)
  }
  assert.equal((await folder.scan()).changed, 0)
  assert.deepEqual(renames, [], 'the next scan has nothing to do')
})

test('macOS: an item that a program renames to the decomposed form is not deleted', async () => {
  const folder = new SimFolder({ caseInsensitive: true })
  folder.put(COMPOSED, 'vanilla')
  await folder.scan()
  await folder.disk.rename('/f/caf\u00e9/cr\u00e8me', '/f/between')
  await folder.disk.rename('/f/between', '/f/caf\u00e9/cre\u0300me')
  assert.equal((await folder.scan()).changed, 0)
  assert.deepEqual(folder.index.live, ['caf\u00e9', COMPOSED])
})

test('macOS: the marker shows whether a volume folds case', async () => {
  for (const caseInsensitive of [true, false]) {
    const { disk } = new SimFolder({ caseInsensitive })
    assert.equal(await isCaseInsensitive(disk, '/f'), caseInsensitive)
  }
})

test('macOS: where access is not permitted, a scan fails or has a problem, and finds no deletions', async () => {
  const folder = new SimFolder()
  for (const name of ['letter', 'photos/one', 'photos/two']) folder.put(name)
  await folder.scan()
  const known = folder.index.live
  folder.disk.fail({ call: 'list', code: 'EPERM', times: Infinity, under: '/f/photos' })
  const { changed, problems } = await folder.scan()
  assert.equal(changed, 0)
  assert.deepEqual(problems, [{ path: 'photos', error: 'scan: operation not permitted' }])
  folder.disk.fail({ call: 'list', code: 'EPERM', times: Infinity, under: '/f' })
  await assert.rejects(folder.scan(), { code: 'EPERM' })
  assert.deepEqual(folder.index.live, known)
})

test('macOS: the template of litter ignores what Finder and other volumes leave, and nothing else', async () => {
  const folder = new SimFolder()
  const litter = ['.DS_Store', '._letter', 'd/.DS_Store', 'd/._x', '.Spotlight-V100/s', '.Trashes/t', '.fseventsd/e']
  for (const name of [...litter, 'letter', 'd/x']) folder.put(name)
  await folder.scan({ lines: withTemplate('', 'system', true).split('\n') })
  assert.deepEqual(folder.index.live, ['d', 'd/x', 'letter'])
})
