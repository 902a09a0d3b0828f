// Written by "npm run docs" from the declarations of the parameters; do not edit.

/** Hexadecimal digits without `#`, 3, 6 or (with alpha) 8 of them, or a name. */
export type Colour = 'white' | 'black' | 'transparent' | (string & {});

/** Transformation of an image or a video. Options that do not apply to the kind of the file are ignored. */
export interface Options {
  /**
   * Page of a PDF or TIFF, or frame of a GIF or WebP. A number beyond the last one is 400, with the number of pages in the message. Files of other types have one page and ignore the parameter. Value: a whole number from 1 to 10000. Default: `1`.
   *
   * In a URL: `pg`.
   */
  page?: number | undefined;
  /**
   * Cuts off a border that is transparent or has the colour of the upper left corner. The value is the tolerance, in percent of each channel. All later steps apply to the remaining image. An image without a border, or with nothing else, stays unchanged. Value: a whole number from 1 to 100. `true`: `10`.
   *
   * In a URL: `tr`.
   */
  trim?: number | boolean | undefined;
  /**
   * Mirrors the image, then rotates it clockwise. Images are first turned upright by their EXIF orientation. Angles other than quarter turns enlarge the canvas; its corners get the background. Value: a whole number of degrees (modulo 360), or `auto`; `hflip` mirrors from left to right first and `vflip` from top to bottom, alone or before degrees (`hflip.90`). Default: `0`.
   *
   * In a URL: `a`.
   */
  angle?: number | 'auto' | 'hflip' | 'vflip' | `hflip.${number}` | `vflip.${number}` | undefined;
  /**
   * Selects a part of the image, after rotation. The region ends at the edges of the image. All later steps apply to the selected part. Value: `x:y:w:h`, each of them whole pixels, or with a decimal point a share of the side (`0.0` to `1.0`).
   *
   * In a URL: `rg`.
   */
  region?: `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Crops to the ratio before anything is resized. Together with `w` or `h`, it determines the other one. Value: `W:H`, two numbers greater than 0, decimals allowed.
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
   * Device pixel ratio: multiplies every length of the result (`w`, `h`, `r`, `pd` and those of effects). `w_200,dpr_2` is the same variant as `w_400`. Value: a number from 0.5 to 4, decimals allowed. Default: `1`.
   *
   * In a URL: `dpr`.
   */
  pixelRatio?: number | undefined;
  /**
   * Fits the image into `w` and `h`: `fill` and `crop` cover the box and cut off the overflow, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within the box and adds bars. Default: `fill`.
   *
   * Videos: Fits the video into `w` and `h`: `fill` and `crop` cover the box and cut off the overflow, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within the box and adds bars. Default: `fill`.
   *
   * In a URL: `c`.
   */
  crop?: 'fill' | 'fit' | 'scale' | 'crop' | 'pad' | undefined;
  /**
   * With `false`, nothing is enlarged: `fill`, `crop` and `scale` return the largest image of the requested ratio, `pad` the exact size with a smaller image in it. `fit` never enlarges. Default: `true`.
   *
   * In a URL: `el`.
   */
  enlarge?: boolean | undefined;
  /**
   * The part that a crop keeps, and the position of the image within padding. A direction names an edge or corner; `face` keeps detected faces in frame; `auto` keeps the region with the most detail; `fp:0.3:0.7` keeps a point (30 % from the left, 70 % from the top) as near to the centre as the edges allow; `focal`, the default, does the same with the focal point stored with the file. Without a stored point it is the centre. Default: `focal`.
   *
   * In a URL: `g`.
   */
  gravity?: 'center' | 'north' | 'south' | 'east' | 'west' | 'north_east' | 'north_west' | 'south_east' | 'south_west' | 'face' | 'focal' | 'auto' | `fp:${number}:${number}` | undefined;
  /**
   * Zoom factor: the part that a crop keeps is smaller by this factor, at the position that `g` selects. `auto` with `g_face` is as close as all faces allow, with a margin around them; without a face it is 1. Value: a number from 1 to 10, decimals allowed, or `auto`. Default: `1`.
   *
   * In a URL: `z`.
   */
  zoom?: number | 'auto' | undefined;
  /**
   * Blurs detected faces, within ovals somewhat larger than the faces. The value is the sigma in pixels; `auto` adapts it to the size of each face. A face that is not detected stays visible, and so does one that moves in an animation: check results before you publish them. Value: a number from 0.3 to 100, decimals allowed, or `auto`. `true`: `auto`.
   *
   * In a URL: `e_blur_faces`.
   */
  blurFaces?: number | 'auto' | boolean | undefined;
  /**
   * Covers detected faces with squares of one colour, within ovals somewhat larger than the faces. The value is the width of the squares in pixels; `auto` adapts it to the size of each face. A face that is not detected stays visible, and so does one that moves in an animation: check results before you publish them. Value: a whole number from 2 to 200, or `auto`. `true`: `auto`.
   *
   * In a URL: `e_pixelate_faces`.
   */
  pixelateFaces?: number | 'auto' | boolean | undefined;
  /**
   * Divides the image into squares of one colour, from the top left. The value is their width in pixels (default 16). Value: a whole number from 2 to 200. `true`: `16`.
   *
   * In a URL: `e_pixelate`.
   */
  pixelate?: number | boolean | undefined;
  /**
   * Gaussian blur. The value is the sigma in pixels of the result (default 10). Value: a number from 0.3 to 100, decimals allowed. `true`: `10`.
   *
   * In a URL: `e_blur`.
   */
  blur?: number | boolean | undefined;
  /**
   * Less or more saturated colours, in percent: `saturate()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_saturation`.
   */
  saturation?: number | undefined;
  /**
   * Rotates all colours around the colour wheel, in degrees: `hue-rotate()` of CSS. Value: a whole number from -180 to 180. Default: `0`.
   *
   * In a URL: `e_hue`.
   */
  hue?: number | undefined;
  /**
   * Removes all colour: `grayscale(1)` of CSS. Default: `false`.
   *
   * In a URL: `e_grayscale`.
   */
  grayscale?: boolean | undefined;
  /**
   * Sepia tone, as of old photographs, in percent: `sepia()` of CSS. Value: a whole number from 1 to 100. `true`: `100`.
   *
   * In a URL: `e_sepia`.
   */
  sepia?: number | boolean | undefined;
  /**
   * Shades of one colour instead of shades of grey, mixed with the image in percent (default 100). Value: a colour (3 or 6 hexadecimal digits; `white`, `black`), and after a `:` how much of it in percent, a whole number from 1 to 100.
   *
   * In a URL: `e_tint`.
   */
  tint?: `${string}:${number}` | Colour | undefined;
  /**
   * Two colours and the shades between them: the first for dark parts, the second for light parts. Value: `dark:light`, two colours (3 or 6 hexadecimal digits; `white`, `black`).
   *
   * In a URL: `e_duotone`.
   */
  duotone?: `${string}:${string}` | undefined;
  /**
   * Inverts all colours: `invert(1)` of CSS. Default: `false`.
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
   * Unsharp mask over adjacent pixels. The value multiplies the difference between a pixel and its neighbours that is added to it (default 1). Value: a number from 0.3 to 10, decimals allowed. `true`: `1`.
   *
   * In a URL: `e_sharpen`.
   */
  sharpen?: number | boolean | undefined;
  /**
   * Darkens towards the corners. The value is the darkening of the corners in percent (default 50). Value: a whole number from 1 to 100. `true`: `50`.
   *
   * In a URL: `e_vignette`.
   */
  vignette?: number | boolean | undefined;
  /**
   * Removes the background of people. It becomes transparent or, in a format without transparency, `b` (default white). An image in which no people are detected stays unchanged. Default: `false`.
   *
   * In a URL: `e_cutout`.
   */
  cutout?: boolean | undefined;
  /**
   * Space around the image in the colour of `b`: `pd_20` on all sides, `pd_10:20` above and below and at the sides, `pd_1:2:3:4` clockwise from the top. `w` and `h` include it and stay the size of the result; without them the result grows. Value: one to four whole numbers of pixels from 0 to 2000 joined by `:`, as in CSS. Default: `0`.
   *
   * In a URL: `pd`.
   */
  padding?: number | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Colour of bars and padding, of the corners of a rotated image, of cut corners, and behind transparency in a format without it. Default white; cut corners are transparent. `auto` is the most common colour along the outer edge of the image, or none if most of the edge is transparent. With `blur`, bars and padding show the image itself; the value is the sigma in pixels (default 20). Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`, or `auto`; `blur`, or `blur:` and a number from 1 to 100, decimals allowed.
   *
   * Videos: Colour of the bars that `c_pad` adds, and behind a video with transparency. Default black. With `blur`, the bars show the video itself, covering the box; the value is the sigma in pixels (default 20). Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`; `blur`, or `blur:` and a number from 1 to 100, decimals allowed. Default: `000000`.
   *
   * In a URL: `b`.
   */
  background?: 'auto' | 'blur' | `blur:${number}` | Colour | undefined;
  /**
   * Border within the edges of the result. It follows rounded corners (`r`). Value: `width:colour`, 1 to 200 pixels and a colour (3, 6 or 8 hexadecimal digits; `white`, `black`, `transparent`).
   *
   * In a URL: `bo`.
   */
  border?: `${number}:${string}` | undefined;
  /**
   * Rounds the corners of the result: `r_20` all; `r_20:0` top left and bottom right, then the other two; `r_20:0:40` top left, top right and bottom left, bottom right; `r_1:2:3:4` clockwise from the top left; `r_max` a circle or an oval. At most half the shorter side. Cut corners are transparent unless `b` is set. Value: one to four whole numbers of pixels joined by `:`, or `max`. Default: `0`.
   *
   * In a URL: `r`.
   */
  radius?: number | 'max' | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Opacity of the result in percent. In a format without transparency, it is blended with `b` (default white). Value: a whole number from 0 to 100. Default: `100`.
   *
   * In a URL: `o`.
   */
  opacity?: number | undefined;
  /**
   * With `true`, a GIF or WebP stays animated: the parameters apply to all frames, and delays and the number of repetitions stay. The result is WebP if the request accepts it, else GIF, or the one of the two that `f` names; `f_mp4` and `f_webm` convert a GIF to a video (more). Other types of images ignore the parameter. Default: `false`.
   *
   * Videos: With `true`, returns an animation instead of a video: at most 10 seconds from `so` on (up to `eo`), at most 15 frames per second, at most 640 pixels wide and high, repeated forever. WebP if the request accepts it, else GIF, or the one of the two that `f` names. With `f_mp4`, `f_webm` and `f_mov` it has no effect (more). Default: `false`.
   *
   * In a URL: `an`.
   */
  animated?: boolean | undefined;
  /**
   * Quality on the scale of JPEG, for all formats: equal values look alike. `auto` uses the fewest bytes that look like 85. PNG is always lossless, and GIF has no quality scale. Value: a whole number from 1 to 100, or `auto`. Default: `85`.
   *
   * Videos: Quality from 1 (smallest) to 100 (best). Alone, also as `q_auto`, it requests a transcode at the size of the source. Value: a whole number from 1 to 100, or `auto` (the default). Default: `75`.
   *
   * In a URL: `q`.
   */
  quality?: number | 'auto' | undefined;
  /**
   * Format of the result. Without it, or with `auto`, the request decides: AVIF or WebP if its `Accept` header names them, else PNG if the result has transparency, else JPEG. A result too large for AVIF or WebP (`GET /limits`) gets the next of these formats; with an explicit `f` it is 400. `best` decides as `auto` does and uses the fewest bytes: for an image with few colours, it also tries an exact WebP or PNG. `json` returns the facts of the original instead of an image; of the other parameters only `g_face` has an effect, which adds the faces. Default: `auto`.
   *
   * Videos: Format of the result: `mp4` (H.264 and AAC), `webm` (VP9 and Opus) or `mov`, unless `vc` names another codec. An image format returns a single frame, `json` the facts of the video. `hls` and `dash` stream it in several sizes: they are playlists of `cmaf` files, one for each size; `m3u8` is the playlist of a single one. `vtt` is for storyboards (`sb`). Default: `mp4`.
   *
   * In a URL: `f`.
   */
  format?: 'avif' | 'webp' | 'jpeg' | 'png' | 'gif' | 'best' | 'json' | 'auto' | 'mp4' | 'webm' | 'mov' | 'cmaf' | 'm3u8' | 'hls' | 'dash' | 'vtt' | undefined;
  /**
   * Videos: Start of the result, in seconds; with an image format and no `eo`, the time of the frame. Value: seconds from 0 to 86400, decimals allowed.
   *
   * In a URL: `so`.
   */
  startOffset?: number | undefined;
  /**
   * Videos: End of the result, in seconds of the source, exclusive. Needs `so`, and lies after it. Value: seconds from 0 to 86400, decimals allowed.
   *
   * In a URL: `eo`.
   */
  endOffset?: number | undefined;
  /**
   * Videos: Maximum number of frames per second. Surplus frames are dropped; the others keep their times. No frames are added. Value: a whole number from 1 to 60.
   *
   * In a URL: `fps`.
   */
  frameRate?: number | undefined;
  /**
   * Videos: Video codec: `h264` in `mp4` and `mov`, where it is the default; `vp9` in `webm`, where it is the default; `av1` in `mp4` and `webm`; `h265` in `mp4` and `mov`. At the same `q`, all of them look alike (comparison).
   *
   * In a URL: `vc`.
   */
  codec?: 'h264' | 'vp9' | 'av1' | 'h265' | undefined;
  /**
   * Videos: `none` removes the audio. `aac` (in M4A), `opus` (in Ogg) and `mp3` return the audio alone, also of stored audio files; only `so`, `eo` and `ln` can be combined with them. With `f_cmaf` or `f_m3u8`, `aac` is the audio of a stream.
   *
   * In a URL: `au`.
   */
  audio?: 'none' | 'aac' | 'opus' | 'mp3' | undefined;
  /**
   * Videos: With `true`, adjusts the loudness to -16 LUFS by EBU R128, with peaks of at most -1.5 dBTP. Streams ignore it. Default: `false`.
   *
   * In a URL: `ln`.
   */
  loudness?: boolean | undefined;
  /**
   * Videos: Returns a single frame as an image instead of a video: the frame at `tt`, in the image format `f` or one that the request accepts. Default: `false`.
   *
   * In a URL: `t`.
   */
  thumbnail?: boolean | undefined;
  /**
   * Videos: Time of the frame in seconds, with `t_true` or `f_json`. Past the end it is the last frame. Default 0. Value: seconds from 0 to 86400, decimals allowed.
   *
   * In a URL: `tt`.
   */
  thumbnailTime?: number | undefined;
  /**
   * Videos: With `true`, returns a storyboard instead of a video: one image with up to 100 tiles, ten in a row, each `w` (16 to 320, default 160) pixels wide, from the whole length of the video. JPEG, unless `f` names `webp`, `png` or `avif`; `f_vtt` is the WebVTT that maps times to tiles (more). Default: `false`.
   *
   * In a URL: `sb`.
   */
  storyboard?: boolean | undefined;
  /**
   * Videos: With `true`, returns an image of the audio instead of a video: its peaks over time, `w` x `h` pixels (default 800 x 200), in the colour `co` on `b` (default transparent, white in JPEG). PNG, unless `f` names `webp`, `jpeg` or `avif`. Also for stored audio files (more). Default: `false`.
   *
   * In a URL: `wf`.
   */
  waveform?: boolean | undefined;
  /**
   * Videos: Colour of a waveform. Default black. Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`. Default: `000000`.
   *
   * In a URL: `co`.
   */
  colour?: Colour | undefined;
  /** Images and texts over the result, from the lowest to the highest; at most 8. */
  layers?: readonly Layer[] | undefined;
}

/** Options of every layer. */
interface LayerOptions {
  /**
   * Edge or corner of the result at which the layer is placed. Default: `center`.
   *
   * In a URL: `g`.
   */
  gravity?: 'center' | 'north' | 'south' | 'east' | 'west' | 'north_east' | 'north_west' | 'south_east' | 'south_west' | undefined;
  /**
   * Distance inwards from that edge, or to the right from the centre. Value: whole pixels from -8192 to 8192, or with a decimal point a share of the result (`-1.0` to `1.0`). Default: `0`.
   *
   * In a URL: `x`.
   */
  x?: number | `${number}` | undefined;
  /**
   * Distance inwards from that edge, or down from the centre. Value: whole pixels from -8192 to 8192, or with a decimal point a share of the result (`-1.0` to `1.0`). Default: `0`.
   *
   * In a URL: `y`.
   */
  y?: number | `${number}` | undefined;
  /**
   * Mirrors the image, then rotates it clockwise. Images are first turned upright by their EXIF orientation. Angles other than quarter turns enlarge the canvas; its corners get the background. Value: a whole number of degrees (modulo 360), or `auto`; `hflip` mirrors from left to right first and `vflip` from top to bottom, alone or before degrees (`hflip.90`). Default: `0`.
   *
   * In a URL: `a`.
   */
  angle?: number | 'auto' | 'hflip' | 'vflip' | `hflip.${number}` | `vflip.${number}` | undefined;
  /**
   * Opacity of the result in percent. In a format without transparency, it is blended with `b` (default white). Value: a whole number from 0 to 100. Default: `100`.
   *
   * In a URL: `o`.
   */
  opacity?: number | undefined;
  /**
   * Blend mode of the layer, as in CSS. `behind` shows the layer where the image is transparent; `mask` keeps the image only where the layer is opaque. Default: `normal`.
   *
   * In a URL: `bl`.
   */
  blend?: 'normal' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'soft_light' | 'hard_light' | 'difference' | 'behind' | 'mask' | undefined;
  /**
   * Repeats the layer over the entire result. The value is the gap in pixels. Value: a whole number from 0 to 2000.
   *
   * In a URL: `tl`.
   */
  tile?: number | undefined;
  /**
   * Shadow of the layer, as `drop-shadow` of CSS. Value: `x:y:blur:colour`, x and y from -200 to 200 pixels, blur from 0 to 50 pixels, and a colour (3, 6 or 8 hexadecimal digits; `white`, `black`, `transparent`).
   *
   * In a URL: `sd`.
   */
  shadow?: `${number}:${number}:${number}:${string}` | undefined;
}

/** Layer that shows an image of the library. */
export interface PictureLayer extends LayerOptions {
  /** Path of the image in the library: `brand/logo.png`. */
  picture: string;
  text?: never;
  /**
   * Selects a part of the image, after rotation. The region ends at the edges of the image. All later steps apply to the selected part. Value: `x:y:w:h`, each of them whole pixels, or with a decimal point a share of the side (`0.0` to `1.0`).
   *
   * In a URL: `rg`.
   */
  region?: `${number}:${number}:${number}:${number}` | undefined;
  /**
   * Crops to the ratio before anything is resized. Together with `w` or `h`, it determines the other one. Value: `W:H`, two numbers greater than 0, decimals allowed.
   *
   * In a URL: `ar`.
   */
  aspectRatio?: `${number}:${number}` | undefined;
  /**
   * Width of the layer. Without `w` and `h`, a layer has its own size, or the largest that fits into the result. Value: whole pixels from 1 to `MAX_OUTPUT_SIDE`, or with a decimal point a share of the result (`0.01` to `1.0`).
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
   * Fits the image into `w` and `h`: `fill` and `crop` cover the box and cut off the overflow, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within the box and adds bars. Default: `fill`.
   *
   * In a URL: `c`.
   */
  crop?: 'fill' | 'fit' | 'scale' | 'crop' | 'pad' | undefined;
  /**
   * Divides the image into squares of one colour, from the top left. The value is their width in pixels (default 16). Value: a whole number from 2 to 200. `true`: `16`.
   *
   * In a URL: `e_pixelate`.
   */
  pixelate?: number | boolean | undefined;
  /**
   * Gaussian blur. The value is the sigma in pixels of the result (default 10). Value: a number from 0.3 to 100, decimals allowed. `true`: `10`.
   *
   * In a URL: `e_blur`.
   */
  blur?: number | boolean | undefined;
  /**
   * Less or more saturated colours, in percent: `saturate()` of CSS with 1 + value / 100. Value: a whole number from -100 to 100. Default: `0`.
   *
   * In a URL: `e_saturation`.
   */
  saturation?: number | undefined;
  /**
   * Rotates all colours around the colour wheel, in degrees: `hue-rotate()` of CSS. Value: a whole number from -180 to 180. Default: `0`.
   *
   * In a URL: `e_hue`.
   */
  hue?: number | undefined;
  /**
   * Removes all colour: `grayscale(1)` of CSS. Default: `false`.
   *
   * In a URL: `e_grayscale`.
   */
  grayscale?: boolean | undefined;
  /**
   * Sepia tone, as of old photographs, in percent: `sepia()` of CSS. Value: a whole number from 1 to 100. `true`: `100`.
   *
   * In a URL: `e_sepia`.
   */
  sepia?: number | boolean | undefined;
  /**
   * Shades of one colour instead of shades of grey, mixed with the image in percent (default 100). Value: a colour (3 or 6 hexadecimal digits; `white`, `black`), and after a `:` how much of it in percent, a whole number from 1 to 100.
   *
   * In a URL: `e_tint`.
   */
  tint?: `${string}:${number}` | Colour | undefined;
  /**
   * Two colours and the shades between them: the first for dark parts, the second for light parts. Value: `dark:light`, two colours (3 or 6 hexadecimal digits; `white`, `black`).
   *
   * In a URL: `e_duotone`.
   */
  duotone?: `${string}:${string}` | undefined;
  /**
   * Inverts all colours: `invert(1)` of CSS. Default: `false`.
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
   * Unsharp mask over adjacent pixels. The value multiplies the difference between a pixel and its neighbours that is added to it (default 1). Value: a number from 0.3 to 10, decimals allowed. `true`: `1`.
   *
   * In a URL: `e_sharpen`.
   */
  sharpen?: number | boolean | undefined;
  /**
   * Darkens towards the corners. The value is the darkening of the corners in percent (default 50). Value: a whole number from 1 to 100. `true`: `50`.
   *
   * In a URL: `e_vignette`.
   */
  vignette?: number | boolean | undefined;
  /**
   * Rounds the corners of the result: `r_20` all; `r_20:0` top left and bottom right, then the other two; `r_20:0:40` top left, top right and bottom left, bottom right; `r_1:2:3:4` clockwise from the top left; `r_max` a circle or an oval. At most half the shorter side. Cut corners are transparent unless `b` is set. Value: one to four whole numbers of pixels joined by `:`, or `max`. Default: `0`.
   *
   * In a URL: `r`.
   */
  radius?: number | 'max' | `${number}:${number}` | `${number}:${number}:${number}` | `${number}:${number}:${number}:${number}` | undefined;
}

/** Layer that shows a text. */
export interface TextLayer extends LayerOptions {
  /** The text, not encoded; `\n` begins a new line. */
  text: string;
  picture?: never;
  /**
   * Font family. Missing letters come from the other available families. Default: `Noto Sans`.
   *
   * In a URL: `ff`.
   */
  family?: 'Noto Sans' | (string & {}) | undefined;
  /**
   * Font size, in pixels of the result. Value: a whole number from 4 to 512. Default: `32`.
   *
   * In a URL: `fs`.
   */
  fontSize?: number | undefined;
  /**
   * Font weight: 400 is regular, 700 bold. The nearest weight of the family is used; letters are made bolder if it has none. Value: a whole number from 100 to 900. Default: `400`.
   *
   * In a URL: `fw`.
   */
  fontWeight?: number | undefined;
  /**
   * Italics. Letters are slanted if the family has none. Default: `false`.
   *
   * In a URL: `fi`.
   */
  italic?: boolean | undefined;
  /**
   * Colour of the letters. Emoji keep their own. Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`. Default: `000000`.
   *
   * In a URL: `co`.
   */
  textColour?: Colour | undefined;
  /**
   * Maximum width of a line; by default the width of the result. A single word that is wider is broken. Value: a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`.
   *
   * In a URL: `w`.
   */
  wrapWidth?: number | undefined;
  /**
   * Alignment of the lines. In a script that is written from right to left, `left` and `right` are swapped. Default: `left`.
   *
   * In a URL: `al`.
   */
  textAlign?: 'left' | 'center' | 'right' | undefined;
  /**
   * Line height as a multiple of the font size. Without it, the line height of the font. Value: a number from 0.8 to 3, decimals allowed.
   *
   * In a URL: `lh`.
   */
  lineHeight?: number | undefined;
  /**
   * Outline around the letters, painted behind them. Value: `width:colour`, 1 to 20 pixels and a colour (3, 6 or 8 hexadecimal digits; `white`, `black`, `transparent`).
   *
   * In a URL: `st`.
   */
  outline?: `${number}:${string}` | undefined;
  /**
   * Colour of a box behind the text. Value: `rgb:` and hexadecimal digits, or the digits alone (3, 6 or 8 of them); `white`, `black`, `transparent`.
   *
   * In a URL: `b`.
   */
  boxColour?: Colour | undefined;
  /**
   * Space between the letters with their outline and the edges of the box. Value: one to four whole numbers of pixels from 0 to 2000 joined by `:`, as in CSS. Default: `0`.
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
