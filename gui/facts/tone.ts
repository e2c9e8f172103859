/** How something stands. The page says it in words, with a picture and a colour that say the same. */
export type Tone = 'good' | 'busy' | 'wait' | 'bad' | 'off'
