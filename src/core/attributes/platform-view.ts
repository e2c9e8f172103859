import { fieldsOf, numberOf, textOf, unixOwnerOf, type UnixOwner } from './platform-data.ts'

export interface ExtendedAttribute {
  readonly name: string
  readonly value: Uint8Array
}

/** The platform data of a record for display; undefined for systems without data. */
export interface PlatformView {
  readonly unix: UnixOwner | undefined
  readonly windows: { readonly ownerName: string; readonly ownerIsGroup: boolean } | undefined
  readonly linux: readonly ExtendedAttribute[] | undefined
  readonly darwin: readonly ExtendedAttribute[] | undefined
  readonly freeBsd: readonly ExtendedAttribute[] | undefined
  readonly netBsd: readonly ExtendedAttribute[] | undefined
}

const SYSTEMS = { windows: 2, linux: 3, darwin: 4, freeBsd: 5, netBsd: 6 } as const
const WINDOWS = { ownerName: 1, ownerIsGroup: 2 } as const
const ATTRIBUTES = 1
const ATTRIBUTE = { name: 1, value: 2 } as const
const NO_BYTES = new Uint8Array(0)

type Fields = NonNullable<ReturnType<typeof fieldsOf>>

/** Never throws: the bytes come from other devices, and invalid parts are left out. */
export function viewPlatform(platform: Uint8Array): PlatformView {
  const fields = fieldsOf(platform) ?? []
  const attributes = (system: number) => attributesOf(messageIn(fields, system))
  return {
    unix: unixOwnerOf(platform),
    windows: windowsOwnerOf(messageIn(fields, SYSTEMS.windows)),
    linux: attributes(SYSTEMS.linux),
    darwin: attributes(SYSTEMS.darwin),
    freeBsd: attributes(SYSTEMS.freeBsd),
    netBsd: attributes(SYSTEMS.netBsd),
  }
}

/** Of a repeated field the last counts. */
function valueIn(fields: Fields, number: number): number | Uint8Array | undefined {
  return fields.findLast((field) => field.number === number)?.value
}

function messageIn(fields: Fields, number: number): Fields | undefined {
  const value = valueIn(fields, number)
  return value instanceof Uint8Array ? fieldsOf(value) : undefined
}

function windowsOwnerOf(fields: Fields | undefined): PlatformView['windows'] {
  if (fields === undefined) return undefined
  return {
    ownerName: textOf(valueIn(fields, WINDOWS.ownerName)),
    ownerIsGroup: numberOf(valueIn(fields, WINDOWS.ownerIsGroup)) !== 0,
  }
}

function attributesOf(fields: Fields | undefined): readonly ExtendedAttribute[] | undefined {
  return fields?.flatMap(({ number, value }) => {
    const parts = number === ATTRIBUTES && value instanceof Uint8Array ? fieldsOf(value) : undefined
    if (parts === undefined) return []
    const content = valueIn(parts, ATTRIBUTE.value)
    return [{ name: textOf(valueIn(parts, ATTRIBUTE.name)), value: content instanceof Uint8Array ? content : NO_BYTES }]
  })
}
