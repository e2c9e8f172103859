/** Declarations of routes without their texts, which only the OpenAPI document uses: a browser need not load them. */
import { parseSync, Visitor, type Node } from 'oxc-parser'

const TEXTS: ReadonlySet<string> = new Set(['summary', 'about'])

/** The source with empty texts. That of a schema with a pattern stays: it is the error message of a wrong value. */
export function withoutDescriptions(file: string, source: string): string {
  const { program } = parseSync(file, source)
  const cuts: (readonly [start: number, end: number])[] = []
  const cut = ({ start, end }: Node) => void cuts.push([start, end])
  new Visitor({
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && TEXTS.has(key.name) && isText(value)) cut(value)
    },
    CallExpression: ({ callee, arguments: [schema, text] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'described' || schema === undefined || text === undefined)
        return
      if (isText(text) && !source.slice(schema.start, schema.end).includes('pattern')) cut(text)
    },
  }).visit(program)
  return cuts
    .toSorted((a, b) => b[0] - a[0])
    .reduce((text, [start, end]) => `${text.slice(0, start)}''${text.slice(end)}`, source)
}

/** A literal, or several that are joined. */
function isText(node: Node): boolean {
  if (node.type === 'BinaryExpression') return node.operator === '+' && isText(node.left) && isText(node.right)
  return (
    (node.type === 'Literal' && typeof node.value === 'string') ||
    (node.type === 'TemplateLiteral' && node.expressions.length === 0)
  )
}
