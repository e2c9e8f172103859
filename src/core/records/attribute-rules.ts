import {
  areSameAttributes,
  inOrder,
  linuxAttributesOf,
  withLinuxAttributes,
  type AttributeFilter,
  type AttributeList,
} from '../attributes/attributes.ts'
import type { AttributeRules } from './change.ts'
import type { FileHead } from './file-info.ts'
import type { ShortId } from '../ids.ts'

export interface AttributeRulesOptions {
  readonly filter: AttributeFilter
  readonly ownShortId: ShortId
  /** The attributes in records of other devices are set on items. */
  readonly synced: boolean
}

/** Comparison rules for a folder that sends extended attributes. */
export function attributeRules({ filter, ownShortId, synced }: AttributeRulesOptions): AttributeRules {
  return {
    /** Attributes of other devices count only where they are set here: else two devices would send updates forever. */
    differ(record, attributes) {
      const isOwn = record.modifiedBy === ownShortId
      if (!isOwn && !synced) return false
      const recorded = linuxAttributesOf(record.platform)
      if (recorded === undefined) return isOwn || attributes.length > 0
      const permitted = filter.permitted(recorded)
      return permitted !== 'too-large' && !areSameAttributes(permitted, attributes)
    },
    /** Attributes that the filter denies are kept as received. */
    platformWith(platform, attributes) {
      const others = (linuxAttributesOf(platform) ?? []).filter(({ name }) => !filter.permitsName(name))
      return withLinuxAttributes(platform, inOrder([...others, ...attributes]))
    },
  }
}

/**
 * Attributes in a record of another device that our item lacks: it was received before attributes were enabled here.
 * Undefined for records of our own, and when the attributes exceed the limit.
 */
export function missingAttributes(
  record: FileHead,
  attributes: AttributeList,
  { filter, ownShortId }: Pick<AttributeRulesOptions, 'filter' | 'ownShortId'>,
): AttributeList | undefined {
  const recorded = record.deleted || record.modifiedBy === ownShortId ? undefined : linuxAttributesOf(record.platform)
  const permitted = recorded && filter.permitted(recorded)
  if (permitted === undefined || permitted === 'too-large') return undefined
  const here = new Set(attributes.map(({ name }) => name))
  const lacking = permitted.filter(({ name }) => !here.has(name))
  return lacking.length === 0 ? undefined : lacking
}
