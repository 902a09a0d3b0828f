// Written by "npm run docs" from the declarations of the parameters; do not edit.

/** Hexadecimal digits without `#`, 3, 6 or (with alpha) 8 of them, or a name. */
export type Colour = 'white' | 'black' | 'transparent' | (string & {});

/** What is made of a picture or a video. Options that a file of its kind does not have mean nothing to it. */
export interface Options {
  /**
   * The page of a PDF or TIFF, or the frame of a GIF or WebP. Beyond the last one it is 400, which says how many there are. Files of other types have one page, and the parameter means nothing there. Value: a whole number from 1 to 10000. Default: `1`.
   *
   * In a URL: `pg`.
   */
  page?: number | undefined;
  /**
   * Cuts off a border that has the colour of the upper left corner, or that is transparent. The value says how far its pixels may be from that, in percent of each channel. Everything that follows takes what is left for the picture. Without a border, or where there is nothing else, the picture stays as it is. Value: a whole number from 1 to 100. `true`: `10`.
   *
   * In a URL: `tr`.
   */
  trim?: number | boolean | undefined;
  /**
   * Mirrors the picture, then turns it clockwise, from upright. Pictures are always turned upright by their EXIF orientation first. For other than quarter turns the canvas grows, and its corners get the background. Value: a whole number of degrees (modulo 360), or `auto`; `hflip` mirrors from left to right first and `vflip` from top to bottom, alone or before degrees (`hflip.90`). Default: `0`.
   *
   * In a URL: `a`.
   */
  angle?: number | 'auto' | 'hflip' | 'vflip' | `hflip.${number}` | `vflip.${number}` | undefined;
  /**
   * Only this part of the picture, after it was turned. What lies beyond its edges is cut off. Everything that follows takes the part for the picture. Value: `x:y:w:h`, each of them whole pixels, or with a decimal point a share of the side (`0.0` to `1.0`).
   *
   * In a URL: `rg`.
   */
  region?: `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Crops to the ratio before anything is resized. With one of `w` and `h` it gives the other. Value: `W:H`, two numbers greater than 0, decimals allowed.
   *
   * In a URL: `ar`.
   */
  aspectRatio?: `${number}:${number}` | undefined;
  /**
   * Width of the result. Without `h`, the height follows from the ratio. Value: a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`.
   *
   * Videos: Width of the result, rounded to an even number. Without `h`, the height follows from the ratio. Value: a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`.
   *
   * In a URL: `w`.
   */
  width?: number | undefined;
  /**
   * Height of the result. Without `w`, the width follows from the ratio. Value: a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`.
   *
   * Videos: Height of the result, rounded to an even number. Without `w`, the width follows from the ratio. Value: a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`.
   *
   * In a URL: `h`.
   */
  height?: number | undefined;
  /**
   * For screens with so many pixels for each of CSS: multiplies every length of the result (`w`, `h`, `r`, `pd` and those of effects). `w_200,dpr_2` is the same variant as `w_400`. Value: a number from 0.5 to 4, decimals allowed. Default: `1`.
   *
   * In a URL: `dpr`.
   */
  pixelRatio?: number | undefined;
  /**
   * How the picture meets `w` and `h`: `fill` covers the box and cuts the overflow, `crop` does the same, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within and adds bars. Default: `fill`.
   *
   * Videos: How the video meets `w` and `h`: `fill` and `crop` cover the box and cut the overflow, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within and adds bars. Default: `fill`.
   *
   * In a URL: `c`.
   */
  crop?: 'fill' | 'fit' | 'scale' | 'crop' | 'pad' | undefined;
  /**
   * With `false` nothing becomes larger than it is: `fill`, `crop` and `scale` give the largest picture of the ratio that was asked for, `pad` the exact size with a smaller picture in it. `fit` never enlarges. Default: `true`.
   *
   * In a URL: `el`.
   */
  enlarge?: boolean | undefined;
  /**
   * What a crop keeps, and where padding leaves the picture: a direction; `face` keeps detected faces in frame; `auto` keeps the region with the most detail; `fp:0.3:0.7` keeps a point (30 % from the left, 70 % from the top) as near to the middle as the edges allow; `focal` does so with the point that is stored with the file, and is what a crop without `g` does. Where no point is stored, it is the middle. Default: `focal`.
   *
   * In a URL: `g`.
   */
  gravity?: 'center' | 'north' | 'south' | 'east' | 'west' | 'north_east' | 'north_west' | 'south_east' | 'south_west' | 'face' | 'focal' | 'auto' | `fp:${number}:${number}` | undefined;
  /**
   * How much closer: the part that is kept is so many times smaller, and lies where `g` says. `auto` with `g_face` is as close as all faces allow, with some room around them; without a face it is 1. Value: a number from 1 to 10, decimals allowed, or `auto`. Default: `1`.
   *
   * In a URL: `z`.
   */
  zoom?: number | 'auto' | undefined;
  /**
   * Blurs the faces that are found, within ovals somewhat larger than they are: by so many pixels, or alone by as much as each needs. A face that is not found stays visible, and in an animation one that moves, so look at what you publish. Value: a number from 0.3 to 100, decimals allowed, or `auto`. `true`: `auto`.
   *
   * In a URL: `e_blur_faces`.
   */
  blurFaces?: number | 'auto' | boolean | undefined;
  /**
   * Squares of one colour over the faces that are found, within ovals somewhat larger than they are: so many pixels wide, or alone as wide as each needs. A face that is not found stays visible, and in an animation one that moves, so look at what you publish. Value: a whole number from 2 to 200, or `auto`. `true`: `auto`.
   *
   * In a URL: `e_pixelate_faces`.
   */
  pixelateFaces?: number | 'auto' | boolean | undefined;
  /**
   * Squares of one colour, so many pixels wide (16), from the top left. Value: a whole number from 2 to 200. `true`: `16`.
   *
   * In a URL: `e_pixelate`.
   */
  pixelate?: number | boolean | undefined;
  /**
   * Blurs by a Gaussian whose sigma is so many pixels of the result (10). Value: a number from 0.3 to 100, decimals allowed. `true`: `10`.
   *
   * In a URL: `e_blur`.
   */
  blur?: number | boolean | undefined;
  /**
   * Paler or stronger colours, in percent: `saturate()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_saturation`.
   */
  saturation?: number | undefined;
  /**
   * Turns all colours around the colour wheel, in degrees: `hue-rotate()` of CSS. Value: a whole number from -180 to 180. Default: `0`.
   *
   * In a URL: `e_hue`.
   */
  hue?: number | undefined;
  /**
   * Without colours: `grayscale(1)` of CSS. Default: `false`.
   *
   * In a URL: `e_grayscale`.
   */
  grayscale?: boolean | undefined;
  /**
   * The brown of old photographs, in percent: `sepia()` of CSS. Value: a whole number from 1 to 100. `true`: `100`.
   *
   * In a URL: `e_sepia`.
   */
  sepia?: number | boolean | undefined;
  /**
   * Shades of one colour instead of shades of grey, mixed with the picture in percent (100). Value: a colour (3 or 6 hexadecimal digits; `white`, `black`), and after a `:` how much of it in percent, a whole number from 1 to 100.
   *
   * In a URL: `e_tint`.
   */
  tint?: `${string}:${number}` | Colour | undefined;
  /**
   * Two colours and the shades between them: the first for what is dark, the second for what is light. Value: `dark:light`, two colours (3 or 6 hexadecimal digits; `white`, `black`).
   *
   * In a URL: `e_duotone`.
   */
  duotone?: `${string}:${string}` | undefined;
  /**
   * The opposite of each colour: `invert(1)` of CSS. Default: `false`.
   *
   * In a URL: `e_negate`.
   */
  negate?: boolean | undefined;
  /**
   * Darker or brighter, in percent: `brightness()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_brightness`.
   */
  brightness?: number | undefined;
  /**
   * Less or more contrast, in percent: `contrast()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_contrast`.
   */
  contrast?: number | undefined;
  /**
   * An unsharp mask over the nearest pixels: so many times what sets a pixel apart from them is added (1). Value: a number from 0.3 to 10, decimals allowed. `true`: `1`.
   *
   * In a URL: `e_sharpen`.
   */
  sharpen?: number | boolean | undefined;
  /**
   * Darkens towards the corners, there by so many percent (50). Value: a whole number from 1 to 100. `true`: `50`.
   *
   * In a URL: `e_vignette`.
   */
  vignette?: number | boolean | undefined;
  /**
   * People without their background, which becomes transparent. In a format without transparency it becomes `b`, or else white. A picture in which nobody is found stays as it is. Default: `false`.
   *
   * In a URL: `e_cutout`.
   */
  cutout?: boolean | undefined;
  /**
   * Free space around the picture in the colour of `b`: `pd_20` on all sides, `pd_10:20` above and below and at the sides, `pd_1:2:3:4` clockwise from the top. It lies within `w` and `h`, which stay the size of the result; without them the result grows. Value: one to four whole numbers of pixels from 0 to 2000 joined by `:`, as in CSS. Default: `0`.
   *
   * In a URL: `pd`.
   */
  padding?: number | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
  /**
   * The colour of bars and padding, of the corners of a turned picture, of cut corners, and of the ground under transparency where the format has none. Default white; cut corners are transparent. `auto` is the commonest colour of the outer edge of the picture, or nothing where most of that is transparent. With `blur` bars and padding are the picture itself, blurred by so many pixels (20). Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`, or `auto`; `blur`, or `blur:` and a number from 1 to 100, decimals allowed.
   *
   * Videos: The colour of the bars that `c_pad` adds, and the one under a video with transparency. Default black. With `blur` the bars are the video itself, covering, blurred by so many pixels (20). Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`; `blur`, or `blur:` and a number from 1 to 100, decimals allowed. Default: `000000`.
   *
   * In a URL: `b`.
   */
  background?: 'auto' | 'blur' | `blur:${number}` | Colour | undefined;
  /**
   * A border within the edges of the result. It follows the corners that `r` rounds. Value: `width:colour`, 1 to 200 pixels and a colour (3, 6 or 8 hexadecimal digits; `white`, `black`, `transparent`).
   *
   * In a URL: `bo`.
   */
  border?: `${number}:${string}` | undefined;
  /**
   * Rounds the corners of the result: `r_20` all; `r_20:0` top left and bottom right, then the other two; `r_20:0:40` top left, top right and bottom left, bottom right; `r_1:2:3:4` clockwise from the top left; `r_max` a circle or an oval. At most half the shorter side. Cut corners are transparent unless `b` is given. Value: one to four whole numbers of pixels joined by `:`, or `max`. Default: `0`.
   *
   * In a URL: `r`.
   */
  radius?: number | 'max' | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
  /**
   * How opaque everything is, in percent. In a format without transparency the result lies on `b`, or else on white. Value: a whole number from 0 to 100. Default: `100`.
   *
   * In a URL: `o`.
   */
  opacity?: number | undefined;
  /**
   * With `true` a GIF or WebP keeps its frames: all go through the same parameters, and their delays and the number of repetitions stay. The result is WebP when the request accepts it, else GIF, or what `f` says of the two; `f_mp4` and `f_webm` make a video of a GIF (more). Pictures of other types have no frames that could move. Default: `false`.
   *
   * Videos: With `true` an animation instead of a video: at most 10 seconds from `so` on (up to `eo`), at most 15 pictures a second, at most 640 pixels wide and high, repeated for ever; WebP when the request accepts it, else GIF, or what `f` says of the two. Beside `f_mp4`, `f_webm` and `f_mov` it means nothing (more). Default: `false`.
   *
   * In a URL: `an`.
   */
  animated?: boolean | undefined;
  /**
   * One scale for every format: what JPEG quality means to the eye. `auto` takes the fewest bytes that look like 85. PNG is always lossless, and GIF has no such scale. Value: a whole number from 1 to 100, or `auto`. Default: `85`.
   *
   * Videos: From 1 (smallest) to 100 (best). Alone, also as `q_auto`, it asks for a transcode at the size of the source. Value: a whole number from 1 to 100, or `auto` (the default). Default: `75`.
   *
   * In a URL: `q`.
   */
  quality?: number | 'auto' | undefined;
  /**
   * The format of the result. Without it, or with `auto`, the request decides: AVIF or WebP when its `Accept` header names them, else PNG when the result has transparency, else JPEG. What is too large for AVIF or WebP (`GET /limits`) gets the next of these; with an explicit `f` it is 400. `best` decides as `auto` does, and takes the fewest bytes: where a picture has few colours, an exact WebP or PNG is tried beside the format that was chosen. `json` is no picture but what is known of the original; with it no parameter counts but `g_face`, which adds the faces. Default: `auto`.
   *
   * Videos: The format of the result: `mp4` (H.264 and AAC), `webm` (VP9 and Opus), `mov`, unless `vc` names another codec; an image format gives a single frame, and `json` what is known of the video. `hls` and `dash` stream it in several sizes: they are playlists of `cmaf` files, one for each size, of which `m3u8` is the playlist of one. `vtt` is for storyboards (`sb`). Default: `mp4`.
   *
   * In a URL: `f`.
   */
  format?: 'avif' | 'webp' | 'jpeg' | 'png' | 'gif' | 'best' | 'json' | 'auto' | 'mp4' | 'webm' | 'mov' | 'cmaf' | 'm3u8' | 'hls' | 'dash' | 'vtt' | undefined;
  /**
   * Videos: Where the result begins, in seconds; with an image format and no `eo`, the time of the frame. Value: seconds from 0 to 86400, decimals allowed.
   *
   * In a URL: `so`.
   */
  startOffset?: number | undefined;
  /**
   * Videos: Where the result ends, in seconds of the source, exclusive. Needs `so`, and lies after it. Value: seconds from 0 to 86400, decimals allowed.
   *
   * In a URL: `eo`.
   */
  endOffset?: number | undefined;
  /**
   * Videos: At most so many frames a second. Of the frames that are too many, some are left out; the others keep their times. None are added. Value: a whole number from 1 to 60.
   *
   * In a URL: `fps`.
   */
  frameRate?: number | undefined;
  /**
   * Videos: How the picture is coded: `h264` in `mp4` and `mov`, where it is the default; `vp9` in `webm`, where it is the default; `av1` in `mp4` and `webm`; `h265` in `mp4` and `mov`. At the same `q` each looks as well as the others; how they compare.
   *
   * In a URL: `vc`.
   */
  codec?: 'h264' | 'vp9' | 'av1' | 'h265' | undefined;
  /**
   * Videos: `none` leaves the sound out. `aac` (in M4A), `opus` (in Ogg) and `mp3` are the sound alone, also of stored sound; with `so`, `eo` and `ln`, nothing else. Beside `f_cmaf` or `f_m3u8` `aac` is the sound of a stream.
   *
   * In a URL: `au`.
   */
  audio?: 'none' | 'aac' | 'opus' | 'mp3' | undefined;
  /**
   * Videos: With `true` the sound is as loud as on the radio: -16 LUFS by EBU R128, with peaks of at most -1.5 dBTP. On streams it means nothing. Default: `false`.
   *
   * In a URL: `ln`.
   */
  loudness?: boolean | undefined;
  /**
   * Videos: A single frame as a picture instead of a video, at the time `tt`, in the image format `f` or one that the request accepts. Default: `false`.
   *
   * In a URL: `t`.
   */
  thumbnail?: boolean | undefined;
  /**
   * Videos: The time of the frame in seconds, with `t_true` or `f_json`. Past the end it is the last frame. Default 0. Value: seconds from 0 to 86400, decimals allowed.
   *
   * In a URL: `tt`.
   */
  thumbnailTime?: number | undefined;
  /**
   * Videos: With `true` a storyboard instead of a video: one picture with up to 100 tiles, ten in a row, each `w` (16 to 320, 160 without it) pixels wide, from the whole length of the video. JPEG, or what `f` says of `webp`, `png` and `avif`; `f_vtt` is the WebVTT that says which tile belongs to which time (more). Default: `false`.
   *
   * In a URL: `sb`.
   */
  storyboard?: boolean | undefined;
  /**
   * Videos: With `true` a picture of the sound instead of a video: its peaks over time, `w` x `h` pixels (800 x 200 without them), in the colour `co` on `b` (transparent without it, white in JPEG). PNG, or what `f` says of `webp`, `jpeg` and `avif`. Also of stored sound (more). Default: `false`.
   *
   * In a URL: `wf`.
   */
  waveform?: boolean | undefined;
  /**
   * Videos: The colour of a waveform. Default black. Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`. Default: `000000`.
   *
   * In a URL: `co`.
   */
  colour?: Colour | undefined;
  /** Pictures and texts that are laid over the result, from the lowest to the highest; at most 8. */
  layers?: readonly Layer[] | undefined;
}

/** What every layer has. */
interface LayerOptions {
  /**
   * The edge or corner of the result that the layer lies at. Default: `center`.
   *
   * In a URL: `g`.
   */
  gravity?: 'center' | 'north' | 'south' | 'east' | 'west' | 'north_east' | 'north_west' | 'south_east' | 'south_west' | undefined;
  /**
   * How far inwards from that edge, or to the right from the middle. Value: whole pixels from -8192 to 8192, or with a decimal point a share of the result (`-1.0` to `1.0`). Default: `0`.
   *
   * In a URL: `x`.
   */
  x?: number | `${number}` | undefined;
  /**
   * How far inwards from that edge, or down from the middle. Value: whole pixels from -8192 to 8192, or with a decimal point a share of the result (`-1.0` to `1.0`). Default: `0`.
   *
   * In a URL: `y`.
   */
  y?: number | `${number}` | undefined;
  /**
   * Mirrors the picture, then turns it clockwise, from upright. Pictures are always turned upright by their EXIF orientation first. For other than quarter turns the canvas grows, and its corners get the background. Value: a whole number of degrees (modulo 360), or `auto`; `hflip` mirrors from left to right first and `vflip` from top to bottom, alone or before degrees (`hflip.90`). Default: `0`.
   *
   * In a URL: `a`.
   */
  angle?: number | 'auto' | 'hflip' | 'vflip' | `hflip.${number}` | `vflip.${number}` | undefined;
  /**
   * How opaque everything is, in percent. In a format without transparency the result lies on `b`, or else on white. Value: a whole number from 0 to 100. Default: `100`.
   *
   * In a URL: `o`.
   */
  opacity?: number | undefined;
  /**
   * How the layer and what lies under it become one, as in CSS. `behind` shows the layer where the picture is transparent; `mask` keeps the picture only where the layer is opaque. Default: `normal`.
   *
   * In a URL: `bl`.
   */
  blend?: 'normal' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'soft_light' | 'hard_light' | 'difference' | 'behind' | 'mask' | undefined;
  /**
   * Repeats the layer over all of the result, with so many pixels between. Value: a whole number from 0 to 2000.
   *
   * In a URL: `tl`.
   */
  tile?: number | undefined;
  /**
   * A shadow of the layer, as `drop-shadow` of CSS. Value: `x:y:blur:colour`, x and y from -200 to 200 pixels, blur from 0 to 50 pixels, and a colour (3, 6 or 8 hexadecimal digits; `white`, `black`, `transparent`).
   *
   * In a URL: `sd`.
   */
  shadow?: `${number}:${number}:${number}:${string}` | undefined;
}

/** A picture of the library that is laid over another. */
export interface PictureLayer extends LayerOptions {
  /** Where it is in the library: `brand/logo.png`. */
  picture: string;
  text?: never;
  /**
   * Only this part of the picture, after it was turned. What lies beyond its edges is cut off. Everything that follows takes the part for the picture. Value: `x:y:w:h`, each of them whole pixels, or with a decimal point a share of the side (`0.0` to `1.0`).
   *
   * In a URL: `rg`.
   */
  region?: `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Crops to the ratio before anything is resized. With one of `w` and `h` it gives the other. Value: `W:H`, two numbers greater than 0, decimals allowed.
   *
   * In a URL: `ar`.
   */
  aspectRatio?: `${number}:${number}` | undefined;
  /**
   * Width of the layer. Without `w` and `h` it has its own size, or the largest that fits into the result. Value: whole pixels from 1 to `MAX_OUTPUT_SIDE`, or with a decimal point a share of the result (`0.01` to `1.0`).
   *
   * In a URL: `w`.
   */
  width?: number | `${number}` | undefined;
  /**
   * Height of the layer. Value: whole pixels from 1 to `MAX_OUTPUT_SIDE`, or with a decimal point a share of the result (`0.01` to `1.0`).
   *
   * In a URL: `h`.
   */
  height?: number | `${number}` | undefined;
  /**
   * How the picture meets `w` and `h`: `fill` covers the box and cuts the overflow, `crop` does the same, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within and adds bars. Default: `fill`.
   *
   * In a URL: `c`.
   */
  crop?: 'fill' | 'fit' | 'scale' | 'crop' | 'pad' | undefined;
  /**
   * Squares of one colour, so many pixels wide (16), from the top left. Value: a whole number from 2 to 200. `true`: `16`.
   *
   * In a URL: `e_pixelate`.
   */
  pixelate?: number | boolean | undefined;
  /**
   * Blurs by a Gaussian whose sigma is so many pixels of the result (10). Value: a number from 0.3 to 100, decimals allowed. `true`: `10`.
   *
   * In a URL: `e_blur`.
   */
  blur?: number | boolean | undefined;
  /**
   * Paler or stronger colours, in percent: `saturate()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_saturation`.
   */
  saturation?: number | undefined;
  /**
   * Turns all colours around the colour wheel, in degrees: `hue-rotate()` of CSS. Value: a whole number from -180 to 180. Default: `0`.
   *
   * In a URL: `e_hue`.
   */
  hue?: number | undefined;
  /**
   * Without colours: `grayscale(1)` of CSS. Default: `false`.
   *
   * In a URL: `e_grayscale`.
   */
  grayscale?: boolean | undefined;
  /**
   * The brown of old photographs, in percent: `sepia()` of CSS. Value: a whole number from 1 to 100. `true`: `100`.
   *
   * In a URL: `e_sepia`.
   */
  sepia?: number | boolean | undefined;
  /**
   * Shades of one colour instead of shades of grey, mixed with the picture in percent (100). Value: a colour (3 or 6 hexadecimal digits; `white`, `black`), and after a `:` how much of it in percent, a whole number from 1 to 100.
   *
   * In a URL: `e_tint`.
   */
  tint?: `${string}:${number}` | Colour | undefined;
  /**
   * Two colours and the shades between them: the first for what is dark, the second for what is light. Value: `dark:light`, two colours (3 or 6 hexadecimal digits; `white`, `black`).
   *
   * In a URL: `e_duotone`.
   */
  duotone?: `${string}:${string}` | undefined;
  /**
   * The opposite of each colour: `invert(1)` of CSS. Default: `false`.
   *
   * In a URL: `e_negate`.
   */
  negate?: boolean | undefined;
  /**
   * Darker or brighter, in percent: `brightness()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_brightness`.
   */
  brightness?: number | undefined;
  /**
   * Less or more contrast, in percent: `contrast()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_contrast`.
   */
  contrast?: number | undefined;
  /**
   * An unsharp mask over the nearest pixels: so many times what sets a pixel apart from them is added (1). Value: a number from 0.3 to 10, decimals allowed. `true`: `1`.
   *
   * In a URL: `e_sharpen`.
   */
  sharpen?: number | boolean | undefined;
  /**
   * Darkens towards the corners, there by so many percent (50). Value: a whole number from 1 to 100. `true`: `50`.
   *
   * In a URL: `e_vignette`.
   */
  vignette?: number | boolean | undefined;
  /**
   * Rounds the corners of the result: `r_20` all; `r_20:0` top left and bottom right, then the other two; `r_20:0:40` top left, top right and bottom left, bottom right; `r_1:2:3:4` clockwise from the top left; `r_max` a circle or an oval. At most half the shorter side. Cut corners are transparent unless `b` is given. Value: one to four whole numbers of pixels joined by `:`, or `max`. Default: `0`.
   *
   * In a URL: `r`.
   */
  radius?: number | 'max' | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
}

/** A text that is laid over a picture. */
export interface TextLayer extends LayerOptions {
  /** The text, as it is; `\n` begins a new line. */
  text: string;
  picture?: never;
  /**
   * The font family. Letters that it lacks come from the other families that there are. Default: `Noto Sans`.
   *
   * In a URL: `ff`.
   */
  family?: 'Noto Sans' | (string & {}) | undefined;
  /**
   * The size of the font, in pixels of the result. Value: a whole number from 4 to 512. Default: `32`.
   *
   * In a URL: `fs`.
   */
  fontSize?: number | undefined;
  /**
   * How bold: 400 is regular, 700 bold. The nearest weight that the family has; letters are made bolder where it has none. Value: a whole number from 100 to 900. Default: `400`.
   *
   * In a URL: `fw`.
   */
  fontWeight?: number | undefined;
  /**
   * Italics. Letters are slanted where the family has none. Default: `false`.
   *
   * In a URL: `fi`.
   */
  italic?: boolean | undefined;
  /**
   * The colour of the letters. Emoji have their own. Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`. Default: `000000`.
   *
   * In a URL: `co`.
   */
  textColour?: Colour | undefined;
  /**
   * Lines end before they are wider; without it, at the width of the result. A word that is wider itself is broken. Value: a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`.
   *
   * In a URL: `w`.
   */
  wrapWidth?: number | undefined;
  /**
   * Where the lines of a text lie to each other. In a script that is written from right to left, `left` and `right` change sides. Default: `left`.
   *
   * In a URL: `al`.
   */
  textAlign?: 'left' | 'center' | 'right' | undefined;
  /**
   * From line to line, in sizes of the font. Without it, what the font says. Value: a number from 0.8 to 3, decimals allowed.
   *
   * In a URL: `lh`.
   */
  lineHeight?: number | undefined;
  /**
   * An outline around the letters, behind them. Value: `width:colour`, 1 to 20 pixels and a colour (3, 6 or 8 hexadecimal digits; `white`, `black`, `transparent`).
   *
   * In a URL: `st`.
   */
  outline?: `${number}:${string}` | undefined;
  /**
   * A box of this colour behind the text. Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`.
   *
   * In a URL: `b`.
   */
  boxColour?: Colour | undefined;
  /**
   * How far the box reaches beyond the letters and their outline. Value: one to four whole numbers of pixels from 0 to 2000 joined by `:`, as in CSS. Default: `0`.
   *
   * In a URL: `pd`.
   */
  boxPadding?: number | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Rounds the corners of the box. Value: one to four whole numbers of pixels joined by `:`, or `max`. Default: `0`.
   *
   * In a URL: `r`.
   */
  boxRadius?: number | 'max' | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
}

export type Layer = PictureLayer | TextLayer;
