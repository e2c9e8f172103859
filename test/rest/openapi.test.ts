import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openApi, type Operation } from '../../src/rest/openapi.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import { withRoutes } from '../../tools/rest-list.ts'
import { reportRow } from '../support/effort.ts'
import { checkReply } from '../support/reply-check.ts'
import { fakeRest } from '../http/fakes.ts'

// The description of the interface: complete, well formed, and the same as what is served.

const served = async (): Promise<readonly string[]> =>
  (await fakeRest().routes()).map(({ method, path }) => `${method} ${path}`)
const checklist: { served: string[]; refused: string[] } = JSON.parse(
  readFileSync(new URL('../fixtures/rest-checklist.json', import.meta.url), 'utf8'),
)

test('every served route is declared, and every declared route is served', async () => {
  assert.deepEqual([...(await served())].sort(), Object.keys(ROUTES).sort())
})

test("every route of Syncthing's interface is served and described", async () => {
  const there = new Set(await served())
  const missing = checklist.served.filter((name) => !there.has(name))
  const described = checklist.served.filter((name) => name in ROUTES).length
  const all = checklist.served.length
  reportRow({
    id: 'routes',
    tried: all,
    served: `${all - missing.length}/${all}`,
    described: `${described}/${all}`,
    missing,
  })
  assert.deepEqual(missing, [])
  for (const name of checklist.refused) assert.ok(!there.has(name), `${name} is a removed route`)
})

const document = openApi('v1.0.0')
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

test('the document is OpenAPI 3.1: its parts meet the standard', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.ok(document.info.title !== '' && document.info.version !== '')
  const tags = new Set(document.tags.map(({ name }) => name))
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique')
  for (const { path, method, operation } of operations) {
    const where = `${method} ${path}`
    assert.match(path, /^\//, where)
    assert.match(method, /^(get|head|post|put|patch|delete)$/, where)
    assert.match(operation.operationId, /^[a-z][A-Za-z0-9]*$/, where)
    assert.match(operation.summary, /\.$/, where)
    assert.ok(
      operation.tags.every((tag) => tags.has(tag)),
      where,
    )
    assertParameters(where, path, operation)
    assertResponses(where, operation)
    if (operation.requestBody !== undefined) assert.notEqual(method, 'get', where)
  }
  for (const requirement of document.security) {
    for (const name of Object.keys(requirement)) assert.ok(name in document.components.securitySchemes, name)
  }
})

/** The names in a path are exactly the path parameters, and no parameter is declared twice. */
function assertParameters(where: string, path: string, { parameters = [] }: Operation): void {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
  assert.deepEqual(
    parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    inPath,
    where,
  )
  assert.ok(
    parameters.every((one) => one.in !== 'path' || one.required),
    where,
  )
  const keys = parameters.map((one) => `${one.in} ${one.name}`)
  assert.equal(new Set(keys).size, keys.length, where)
  for (const one of parameters) assert.match(one.description, /\.$/, `${where} ${one.name}`)
}

function assertResponses(where: string, { responses }: Operation): void {
  const statuses = Object.keys(responses)
  assert.ok(
    statuses.some((status) => /^2\d\d$/.test(status)),
    `${where} can succeed`,
  )
  for (const [status, response] of Object.entries(responses)) {
    assert.match(status, /^[1-5]\d\d$/, where)
    assert.notEqual(response.description, '', where)
  }
}

test('every reference in the document resolves, and every named schema is used', () => {
  const text = JSON.stringify(document)
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]))
  assert.deepEqual([...referred].sort(), Object.keys(document.components.schemas).sort())
})

test('every schema in the document is JSON Schema 2020-12, by a second implementation', async () => {
  const { Check, Meta } = await import('typebox/schema')
  const schemas = [...schemasIn(document.paths), ...Object.values(document.components.schemas)]
  for (const schema of schemas)
    assert.ok(Check(Meta['https://json-schema.org/draft/2020-12/schema'], schema), JSON.stringify(schema).slice(0, 200))
  assert.ok(schemas.length > 150, `${schemas.length} schemas`)
})

function schemasIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'schema' ? [inner] : schemasIn(inner)))
}

test('the check of all replies in tests refuses undeclared ones', async () => {
  const ping = (text: string) =>
    checkReply('GET', '/rest/system/ping', { status: 200, contentType: 'application/json; charset=utf-8', text })
  await ping('{"ping":"pong"}')
  for (const text of ['{"ping":"pang"}', '{}', '{"ping":"pong","more":1}', '[]'])
    await assert.rejects(ping(text), /not what is declared/, text)
  const scan = (text: string) => checkReply('POST', '/rest/db/scan?folder=x', { status: 200, contentType: '', text })
  await scan('')
  await assert.rejects(scan('{}'), /without content/)
  const tree = (text: string) =>
    checkReply('GET', '/rest/db/browse?folder=x', { status: 200, contentType: 'application/json', text })
  const leaf = '"modTime":"2024-01-31T12:00:00Z","size":1,"type":"FILE_INFO_TYPE_FILE"'
  await tree(`[{"name":"a",${leaf},"children":[{"name":"b",${leaf}}]}]`)
  await assert.rejects(tree(`[{"name":"a",${leaf},"children":[{"nome":"b",${leaf}}]}]`), /not what is declared/)
})

test('docs/rest.md lists every route as it is declared', () => {
  const page = readFileSync(new URL('../../docs/rest.md', import.meta.url), 'utf8')
  assert.equal(page, withRoutes(page), 'node tools/rest-list.ts writes the list')
  for (const name of Object.keys(ROUTES)) assert.ok(page.includes(`| \`${name}\` |`), name)
})
