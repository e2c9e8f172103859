import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutDescriptions } from '../../tools/without-descriptions.ts'

test('texts of routes and schemas are cut, all else and the text of a pattern stay', () => {
  const source = `const A = described(TEXT, 'long ' + 'text')
const B = described({ type: 'string', pattern: 'x+' }, 'one x or more')
export const ROUTES = { 'GET /a': { scope: 'admin', summary: 'Returns "a".', query: { b: { about: \`all\` } } } }
`
  assert.equal(
    withoutDescriptions('routes.ts', source),
    `const A = described(TEXT, '')
const B = described({ type: 'string', pattern: 'x+' }, 'one x or more')
export const ROUTES = { 'GET /a': { scope: 'admin', summary: '', query: { b: { about: '' } } } }
`,
  )
})
