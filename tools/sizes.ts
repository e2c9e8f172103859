/** Measures source files: length of files, functions, lines and parameter lists, for the tests of the source tree. */
import { parseSync, Visitor, type CallExpression } from 'oxc-parser'

const FILE_LINES_MAX = 450
const FUNCTION_LINES_MAX = 90
const LINE_LENGTH_MAX = 120

export function longFile(text: string): readonly string[] {
  const lines = linesOf(text).length
  return lines > FILE_LINES_MAX ? [`has ${lines} lines, more than ${FILE_LINES_MAX}`] : []
}

export function longLines(text: string): readonly string[] {
  return linesOf(text).flatMap((line, index) =>
    line.length > LINE_LENGTH_MAX ? [`line ${index + 1} has ${line.length} characters`] : [],
  )
}

/**
 * Tests inside a function are not counted: a block of tests is as long as it has tests, and each is measured itself.
 */
export function longFunctions(file: string, text: string): readonly string[] {
  if (file.endsWith('.css')) return []
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const functions: Span[] = []
  const tests: Span[] = []
  const add = ({ start, end }: Span) => functions.push({ start, end })
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
    CallExpression: (call) => void (isTitled(call) && tests.push(call)),
  }).visit(program)
  const lineAt = lineCounter(text)
  return functions.flatMap((one) => {
    const inside = tests.filter((test) => test.start > one.start && test.end < one.end)
    const lines = lineAt(one.end) - lineAt(one.start) + 1 - coveredLines(inside, lineAt)
    return lines > FUNCTION_LINES_MAX ? [`the function in line ${lineAt(one.start)} has ${lines} lines`] : []
  })
}

const PARAMETERS_MAX = 5
/** The heart of the program: what takes more is more than one thing. */
const ROOMS_WITH_FEW = /^src\/model\/(tree|content|puller)\//

/** Functions, methods and constructors; declarations in interfaces are implemented by one of these. */
export function manyParameters(file: string, text: string): readonly string[] {
  const max = ROOMS_WITH_FEW.test(file) ? PARAMETERS_MAX - 1 : PARAMETERS_MAX
  const { program } = parseSync(file, text)
  const lineAt = lineCounter(text)
  const faults: string[] = []
  const check = ({ params, start }: { readonly params: readonly unknown[]; readonly start: number }) => {
    const { length } = params
    if (length > max) faults.push(`the function in line ${lineAt(start)} has ${length} parameters, more than ${max}`)
  }
  new Visitor({ FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check }).visit(program)
  return faults
}

interface Span {
  readonly start: number
  readonly end: number
}

/** `it('title', () => …)` and the like: a title first, a function last. */
export function isTitled(call: CallExpression): boolean {
  const [title] = call.arguments
  const last = call.arguments.at(-1)
  return (
    (title?.type === 'TemplateLiteral' || (title?.type === 'Literal' && typeof title.value === 'string')) &&
    (last?.type === 'ArrowFunctionExpression' || last?.type === 'FunctionExpression')
  )
}

function coveredLines(spans: readonly Span[], lineAt: (offset: number) => number): number {
  const covered = new Set<number>()
  for (const { start, end } of spans) {
    for (let line = lineAt(start); line <= lineAt(end); line++) covered.add(line)
  }
  return covered.size
}

/** The line of an offset, from 1. */
export function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n')
}
