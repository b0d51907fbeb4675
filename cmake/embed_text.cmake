# A text file as a constant of the program: trestle_embed(TARGET NAMESPACE FILE NAME) defines trestle::NAMESPACE::NAME.
function(trestle_embed target namespace file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
  file(READ ${CMAKE_SOURCE_DIR}/${file} text)
  set(source ${CMAKE_BINARY_DIR}/embedded/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made from @file@.
namespace trestle::@namespace@ {
extern const char* const @name@;
const char* const @name@ = R\"EMBEDDED(@text@)EMBEDDED\";
}  // namespace trestle::@namespace@
")
  target_sources(${target} PRIVATE ${source})
endfunction()
