# Run by cpack on the installed files of each package: manual pages and changelogs are compressed, as Debian's policy
# asks, without the time of day in them.
file(GLOB folders ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*)
foreach(folder ${folders})
  cmake_path(GET folder FILENAME package)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH where it is set
  file(WRITE ${folder}/changelog.Debian
       "${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * Made by cpack from the sources; what changed is in their CHANGELOG.md.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
endforeach()
file(GLOB texts ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man1/*.1
     ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/changelog*)
foreach(text ${texts})
  execute_process(COMMAND gzip -9nf ${text} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
