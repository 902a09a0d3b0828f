// Written by "npm run docs" from the declarations of the parameters; do not edit.

/** `name=key` with its separator, `name?key` if the key can stand alone; in the order of the canonical text. */
export const PARAMETERS =
  'page=pg_ trim?tr_ angle=a_ region=rg_ aspectRatio=ar_ width=w_ height=h_ pixelRatio=dpr_ crop=c_ enlarge=el_ gravity=g_ zoom=z_ blurFaces?e_blur_faces: pixelateFaces?e_pixelate_faces: pixelate?e_pixelate: blur?e_blur: saturation=e_saturation: hue=e_hue: grayscale?e_grayscale: sepia?e_sepia: tint=e_tint: duotone=e_duotone: negate?e_negate: brightness=e_brightness: contrast=e_contrast: sharpen?e_sharpen: vignette?e_vignette: cutout?e_cutout: padding=pd_ background=b_ border=bo_ radius=r_ opacity=o_ animated=an_ quality=q_ format=f_ startOffset=so_ endOffset=eo_ frameRate=fps_ codec=vc_ audio=au_ loudness=ln_ thumbnail=t_ thumbnailTime=tt_ storyboard=sb_ waveform=wf_ colour=co_';

/** Parameters of layers: of images, then of texts, then of both. */
export const LAYER_PARAMETERS =
  'region=rg_ aspectRatio=ar_ width=w_ height=h_ crop=c_ pixelate?e_pixelate: blur?e_blur: saturation=e_saturation: hue=e_hue: grayscale?e_grayscale: sepia?e_sepia: tint=e_tint: duotone=e_duotone: negate?e_negate: brightness=e_brightness: contrast=e_contrast: sharpen?e_sharpen: vignette?e_vignette: radius=r_ family=ff_ fontSize=fs_ fontWeight=fw_ italic=fi_ textColour=co_ wrapWidth=w_ textAlign=al_ lineHeight=lh_ outline=st_ boxColour=b_ boxPadding=pd_ boxRadius=r_ gravity=g_ x=x_ y=y_ angle=a_ opacity=o_ blend=bl_ tile=tl_ shadow=sd_';
