/** Finds tests that assert nothing, for the tests of the source tree. */
import { parseSync, Visitor, type CallExpression, type Node, type ParamPattern } from 'oxc-parser'
import { isTitled, lineCounter } from './sizes.ts'

/** Functions that fail a test if a condition does not hold, now or after a while. */
const ASSERTING = /^(assert|expect|fail|eventually|until|waitFor)/
/** A test that can only fail by never ending states it in a comment: "hangs if …". */
const HANGS = /\bhangs\b/

interface Span {
  readonly start: number
  readonly end: number
}

interface Test {
  readonly line: number
  readonly title: string
  readonly calls: ReadonlySet<string>
}

export interface TestSource {
  readonly tests: readonly Test[]
  /** What the functions and methods of the file call, by their names. */
  readonly functions: ReadonlyMap<string, ReadonlySet<string>>
}

export function parseTests(file: string, text: string): TestSource {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const bodies: (Span & { readonly name: string })[] = []
  const titled: CallExpression[] = []
  const calls: (Span & { readonly name: string })[] = []
  const scopes: (Span & { readonly parameters: readonly string[] })[] = []
  const body = (name: string | undefined, { start, end }: Span) =>
    name !== undefined && bodies.push({ name, start, end })
  const enter = ({ params, start, end }: Span & { readonly params: readonly ParamPattern[] }) =>
    void scopes.push({ parameters: params.flatMap(namesIn), start, end })
  new Visitor({
    FunctionDeclaration: (node) => {
      enter(node)
      body(node.id?.name, node)
    },
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    VariableDeclarator: (node) => void body(nameOf(node.id), node),
    MethodDefinition: (node) => void body(nameOf(node.key), node),
    Property: (node) => void body(nameOf(node.key), node),
    CallExpression: (call) => {
      calls.push(...calledBy(call).map((name) => ({ name, start: call.start, end: call.end })))
      if (isTitled(call)) titled.push(call)
    },
    NewExpression: ({ callee, start, end }) => void calls.push({ name: nameOf(callee) ?? '', start, end }),
  }).visit(program)

  const callsIn = ({ start, end }: Span) =>
    new Set(calls.filter((call) => call.start > start && call.end <= end).map(({ name }) => name))
  const functions = new Map<string, ReadonlySet<string>>()
  for (const one of bodies) functions.set(one.name, (functions.get(one.name) ?? new Set()).union(callsIn(one)))
  const hangs = comments.filter(({ value }) => HANGS.test(value))
  const lineAt = lineCounter(text)
  const tests = titled.flatMap((call): Test[] => {
    const name = nameOf(call.callee)
    if (name === undefined || !(isTest(name) || [...(functions.get(name) ?? [])].some(isTest))) return []
    const called = callsIn(call)
    // A function that defines tests calls the one it was given, which is where the assertions are.
    const given = scopes.filter((one) => one.start < call.start && one.end > call.end)
    if (given.some(({ parameters }) => parameters.some((one) => called.has(one)))) return []
    if (hangs.some(({ start, end }) => start > call.start && end < call.end)) return []
    const [title] = call.arguments
    return [{ line: lineAt(call.start), title: text.slice(title!.start + 1, title!.end - 1), calls: called }]
  })
  return { tests, functions }
}

/** The tests that call no asserting function, directly or through functions of this file and of those it imports. */
export function testsWithoutAssertion(source: TestSource, imported: readonly TestSource[]): readonly Test[] {
  const known = [source, ...imported].map(({ functions }) => functions)
  const asserting = new Map<string, boolean>()
  const asserts = (name: string): boolean => {
    if (ASSERTING.test(name)) return true
    const before = asserting.get(name)
    if (before !== undefined) return before
    asserting.set(name, false) // a function that only calls itself asserts nothing
    const found = known.some((functions) => [...(functions.get(name) ?? [])].some(asserts))
    asserting.set(name, found)
    return found
  }
  return source.tests.filter(({ calls }) => ![...calls].some(asserts))
}

function isTest(name: string): boolean {
  return name === 'it' || name === 'test'
}

/** `assert.equal(…)` counts as `assert`, `device.settled(…)` as `settled`; a function passed on is called, too. */
function calledBy({ callee, arguments: passed }: CallExpression): readonly string[] {
  const object = callee.type === 'MemberExpression' ? nameOf(callee.object) : undefined
  const own = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee)
  return [object === 'assert' ? object : undefined, own, ...passed.map(nameOf)].filter((name) => name !== undefined)
}

function nameOf(node: Node): string | undefined {
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? node.name : undefined
}

function namesIn(pattern: ParamPattern): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((one) => (one.type === 'Property' ? [nameOf(one.key) ?? ''] : []))
}

/** Figures that a test prints for a row without counting them: names of properties that are a literal zero. */
export function uncountedFigures(file: string, text: string): readonly string[] {
  if (!text.includes('reportRow')) return [] // before it is parsed, which takes most of the time
  const found: string[] = []
  new Visitor({
    CallExpression: ({ callee, arguments: [row] }) => {
      if (nameOf(callee) !== 'reportRow' || row?.type !== 'ObjectExpression') return
      for (const property of row.properties) {
        if (property.type !== 'Property' || property.value.type !== 'Literal') continue
        if (property.value.value === 0) found.push(nameOf(property.key) ?? '')
      }
    },
  }).visit(parseSync(file, text).program)
  return found
}
