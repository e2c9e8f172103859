import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { Network, scanAll } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? false
const DELAY_MS = 100

test('a Syncthing and a Twinfold that dial each other at once stay on speaking terms', { skip }, async () => {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const pair = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
  const [twinfold, syncthing] = pair
  const addresses = await network.slowLines(pair, DELAY_MS)
  await twinfold.introduce(syncthing, { addresses: [addresses[1]], paused: true })
  await syncthing.introduce(twinfold, { addresses: [addresses[0]], paused: true })
  await twinfold.share([syncthing])
  await syncthing.share([twinfold])
  await syncthing.request('POST', '/rest/config/folders', { id: 'busy', path: join(scratch.path, 'busy') })
  // Additional connections are debug lines.
  await twinfold.request('POST', '/rest/system/debug?enable=connections')
  const both = (verb: string) =>
    Promise.all([
      twinfold.request('POST', `/rest/system/${verb}?device=${syncthing.id}`),
      syncthing.request('POST', `/rest/system/${verb}?device=${twinfold.id}`),
    ])
  const wanted = effort(4)
  let [tried, crossed] = [0, 0]
  for (let round = 1; crossed < wanted && round <= wanted * 15; round++) {
    for (const { root, name } of pair) writeFileSync(join(root, `${name}-${round}`), `round ${round}`)
    const earlier = twinfold.output.length
    await both('resume')
    // A Syncthing that is busy with its settings handles the messages of several connections in any order.
    for (let change = 1; change <= 20; change++)
      await syncthing.request('PATCH', '/rest/config/folders/busy', { paused: change % 2 === 1 })
    await eventually('a connection', async () => (await twinfold.isConnectedTo(syncthing)) || undefined, 60_000)
    await scanAll(pair)
    await untilInSync(pair)
    if ((twinfold.output.slice(earlier).match(/ connected to /g)?.length ?? 0) > 1) crossed++
    tried++
    await both('pause')
    await eventually(
      'both to be alone',
      async () =>
        (!(await twinfold.isConnectedTo(syncthing)) && !(await syncthing.isConnectedTo(twinfold))) || undefined,
    )
  }
  assert.equal(crossed, wanted, 'so often they met on the way')
  reportRow({ id: 'sync-crossing', tried, crossed })
})
