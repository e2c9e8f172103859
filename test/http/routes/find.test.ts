import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { parseFolderId } from '../../../src/core/ids.ts'
import { NEVER } from '../../../src/core/never.ts'
import { parseQuery } from '../../../src/http/pipeline/query.ts'
import type { Call } from '../../../src/http/pipeline/route.ts'
import { findEverywhere } from '../../../src/http/routes/find.ts'
import type { FolderExplorer } from '../../../src/model/queries/explorer.ts'
import type { FoundItems, Item } from '../../../src/model/queries/explorer-types.ts'
import type { FindJson } from '../../../src/rest/find.ts'
import { file, headOf } from '../../db/records.ts'
import { fakeRest, type FakeOptions } from '../fakes.ts'

// The fake checks replies against their declared schemas.

async function get(fake: FakeOptions, target: string): Promise<unknown> {
  const reply = await fakeRest(fake).send('GET', target)
  assert.equal(reply.status, 200, reply.body)
  return JSON.parse(reply.body)
}

const PART = { next: undefined, searched: 7, workedMs: 1 } as const

/** An explorer whose folders each have one match, at the name `d/a`. */
function searchable(asked: string[], parts: Partial<FoundItems> = {}): NonNullable<FakeOptions['explorer']> {
  const found = file('d/a')
  const records = { name: found.name, global: headOf(found), local: undefined, others: new Map() }
  const item = { records, state: 'here', devices: [] } as const satisfies Item
  return {
    search: async (folder, { limit, after, workMs }) => {
      asked.push(`${folder} ${limit} ${workMs} ${after}`.trimEnd())
      return { ...PART, items: [item], ...parts }
    },
  }
}

test('a search in all folders ends at its limit, and passes over folders that do not run', async () => {
  const asked: string[] = []
  const explorer = searchable(asked)
  const found = { folder: 'share', name: 'd/a', type: 'file' }
  assert.deepEqual(await get({ explorer }, '/rest/twinfold/find?text=A&limit=5'), {
    items: [found],
    searched: 7,
    truncated: false,
  })
  assert.deepEqual(asked, ['share 5 30'])
  const cut = { explorer: searchable([], { next: 'd/a' }) }
  assert.deepEqual(await get(cut, '/rest/twinfold/find?text=A&limit=1'), {
    items: [found],
    searched: 7,
    truncated: true,
    next: 'share/d/a',
  })
  const stopped: FakeOptions['explorer'] = {
    search: async () => {
      throw new TwinfoldError('folder-not-running', 'stopped')
    },
  }
  assert.deepEqual(await get({ explorer: stopped }, '/rest/twinfold/find?text=A'), {
    items: [],
    searched: 0,
    truncated: false,
  })
})

test('a search in all folders goes on where it was, behind a folder that has been removed since', async () => {
  const asked: string[] = []
  const options = { explorer: searchable(asked) }
  await get(options, '/rest/twinfold/find?text=A&from=share/d/a')
  await get(options, '/rest/twinfold/find?text=A&from=removed%2525/x')
  assert.deepEqual(asked, ['share 20 30 d/a', 'share 20 30'])
  const none = await get(options, '/rest/twinfold/find?text=A&from=zoo/x')
  assert.deepEqual(none, { items: [], searched: 0, truncated: false })
})

test('a search in all folders shares its time between them', async () => {
  const ids = ['a', 'share', 'b'].map((id) => parseFolderId(id)!)
  const asked: string[] = []
  const explore = searchable(asked, { workedMs: 16 })
  const current = { folders: ids.map((id) => ({ id })) } as unknown as Config
  const deps = { explorer: async () => explore as FolderExplorer, config: { current } }
  const request = { signal: NEVER } as Call<never>['request']
  const find = async (text: string): Promise<FindJson> => {
    const reply = await findEverywhere(deps, { query: parseQuery(text), request } as Parameters<
      typeof findEverywhere
    >[1])
    return JSON.parse(String(reply.body)) as FindJson
  }
  const { next, items } = await find('text=A')
  assert.deepEqual([next, items.length, asked], ['share/', 2, ['a 20 30', 'b 19 14']])
  assert.equal((await find(`text=A&from=${next}`)).next, undefined)
  assert.deepEqual(asked.slice(2), ['share 20 30'])
})

test('a search refuses what is no place to go on at, and does not repeat it', async () => {
  const send = async (route: string, from: string) => {
    const path = `/rest/twinfold/${route}text=A&from=${encodeURIComponent(from)}`
    const { status, body } = await fakeRest().send('GET', path)
    assert.ok(!body.includes('evil'), body)
    return status
  }
  const long = 'evil/'.repeat(2_000)
  for (const from of ['evil\0', long]) assert.equal(await send('search?folder=share&', from), 400)
  for (const from of ['evil', '/evil', '%evil/a', 'evil/\0', `evil/${long}`, `${long}/`])
    assert.equal(await send('find?', from), 400, from.slice(0, 20))
  assert.equal(await send('search?folder=share&', 'any/name: \u202e'), 200)
})
