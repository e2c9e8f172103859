/** Characters that change the direction of text, take no space, or control a terminal. */
const HIDDEN =
  /[\p{Cc}\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0]/gu
const JOINER = '\u200D'

/**
 * A name with everything visible that could make it look like another: direction marks, zero-width and control
 * characters are written as their code. The joiner inside an emoji stays, and names of right-to-left scripts do.
 */
export function visibleName(name: string): string {
  return name.replaceAll(HIDDEN, (found, at: number) =>
    found === JOINER && isEmoji(name.slice(0, at)) ? found : `⟨${codeOf(found)}⟩`,
  )
}

/** Of the last character alone: V8 14.6 does not find one beyond U+FFFF by a class at the end of a text. */
function isEmoji(before: string): boolean {
  return /[\p{Extended_Pictographic}\uFE0F\p{Emoji_Modifier}]/u.test(Array.from(before).at(-1) ?? '')
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
