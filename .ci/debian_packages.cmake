# Debian packages: cpack --config build/release/CPackConfig.cmake makes warpnet and libwarpnet-dev, and with
# WARPNET_PYTHON python3-warpnet too. finish_packages.cmake adds what Debian's policy asks for to their contents.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The warpnet developers <warpnet@users.invalid>") # the project has no address
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish_packages.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
get_property(loaded_packages GLOBAL PROPERTY WARPNET_LOADED_PACKAGES) # which no tool finds

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME warpnet)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ${loaded_packages})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS graphviz)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS openmpi-bin)
# The first line of each description is its synopsis. CPack would put one synopsis before all of them.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "${PROJECT_DESCRIPTION}
Generates, runs, searches, checks and draws place/transition nets with
inhibitor and read arcs under maximal-step, multiset and interleaving
semantics. Its nets are those of GPU kernels whose timing is in question: it
finds long runs of them and certifies that none is longer.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libwarpnet-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libboost-graph-dev, libfmt-dev, libglpk-dev, libpugixml-dev, libtbb-dev, nlohmann-json3-dev, ${loaded_packages}")
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "${PROJECT_DESCRIPTION} (development files)
Headers, static libraries and a package of CMake: find_package(warpnet) gives
warpnet::engine and the libraries around it, for programs in C++20.")

if(WARPNET_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-warpnet)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  find_package(Python REQUIRED COMPONENTS Interpreter) # whose version the module is for
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next_minor}), \
python3-numpy, ${loaded_packages}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "graphviz, python3-matplotlib, python3-networkx")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION
      "${PROJECT_DESCRIPTION} (Python 3)
The package warpnet for Python: nets, runs, worst cases, state spaces and
predictions as values, with plots.")
endif()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} key)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  install(FILES ${PROJECT_SOURCE_DIR}/.ci/copyright DESTINATION ${folder} COMPONENT ${component})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpnet)
# The pages for users and the files of their examples, in the folders in which they refer to each other.
file(GLOB_RECURSE pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/figures/*.svg ${PROJECT_SOURCE_DIR}/docs/figures/*.png ${PROJECT_SOURCE_DIR}/netgen/*.md
     ${PROJECT_SOURCE_DIR}/examples/kernels/ptx/*.ptx ${PROJECT_SOURCE_DIR}/examples/nets/*.pnml ${PROJECT_SOURCE_DIR}/examples/*.svg)
list(FILTER pages EXCLUDE REGEX "^docs/internals/")
foreach(page ${pages} python/README.md REFERENCES.md)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpnet/${folder})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpnet RENAME changelog)
include(CPack)
